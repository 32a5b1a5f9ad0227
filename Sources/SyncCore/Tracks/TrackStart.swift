/// The start of a track and the local clocks there: the value of its `start` cell.
///
/// Encoded as `[instant, offset, zone]`: UTC in milliseconds, the offset from UTC in minutes, and
/// the name of a time zone. The last two are null if unknown. A person's correction is a separate
/// cell, `zone`: `[offset, zone]`. A track's day is that of the local clocks, wherever it is
/// viewed.
public struct TrackStart: Hashable, Sendable {
    /// The time of the start.
    public let time: UnixTime
    /// The offset from UTC at the start, or nil if unknown.
    public let offset: UTCOffset?
    /// The time zone, whose rules say when the offset changes, or nil if unknown.
    public let zone: ZoneName?

    /// Creates a start from a time and what is known of the local clocks.
    public init(_ time: UnixTime, offset: UTCOffset? = nil, zone: ZoneName? = nil) {
        (self.time, self.offset, self.zone) = (time, offset, zone)
    }
}

extension TrackStart {
    /// Decodes a cell, or returns nil if it has no instant; malformed clocks count as unknown.
    package init?(_ value: Value?) {
        guard let parts = value?.list, let time = parts.first?.integer else { return nil }
        let (offset, zone) = (parts.dropFirst().first, parts.dropFirst(2).first)
        self.init(
            UnixTime(milliseconds: time),
            offset: offset?.integer.flatMap { UTCOffset(minutes: $0) },
            zone: zone?.text.flatMap { ZoneName($0) }
        )
    }

    /// Decodes the start from a track's row, or returns nil if the row has none.
    package init?(of track: [Text: Cell]) {
        self.init(track[TrackField.start]?.value)
        self = onClocks(of: track)
    }

    /// Returns the same instant on a person's corrected clocks, if there are any.
    package func onClocks(of track: [Text: Cell]) -> TrackStart {
        guard let clocks = track[TrackField.zone]?.value.list,
            let told = TrackStart(.list([.integer(time.milliseconds)] + clocks)),
            told.offset != nil || told.zone != nil
        else { return self }
        return told
    }

    /// The value of the `start` cell.
    package var value: Value { .list([.integer(time.milliseconds)] + parts) }

    /// The value of the `zone` cell.
    package var clocks: Value { .list(parts) }

    private var parts: [Value] {
        [
            offset.map { .integer(Int64($0.minutes)) } ?? .null,
            zone.map { .text(Text($0.text)) } ?? .null,
        ]
    }
}
