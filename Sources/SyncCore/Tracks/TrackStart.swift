/// When a track began, and what the clocks there showed: the value of its `start` cell.
///
/// Encoded as `[instant, offset, zone]`: UTC in milliseconds, the offset from UTC in minutes, and the
/// name of a time zone; null where one of the last two is not known. What a person says of the clocks
/// is a cell of its own, `zone`: `[offset, zone]`. The day of a track is that of the clocks there,
/// wherever it is looked at.
public struct TrackStart: Hashable, Sendable {
    /// The instant.
    public let time: UnixTime
    /// The offset at that instant; nil where nobody said.
    public let offset: UTCOffset?
    /// The time zone, whose rules say when the offset changes; nil where nobody said.
    public let zone: ZoneName?

    /// An instant, and what is known of the clocks there.
    public init(_ time: UnixTime, offset: UTCOffset? = nil, zone: ZoneName? = nil) {
        (self.time, self.offset, self.zone) = (time, offset, zone)
    }
}

extension TrackStart {
    /// Reads a cell; what has another shape there is not known, and without an instant it is none.
    package init?(_ value: Value?) {
        guard let parts = value?.list, let time = parts.first?.integer else { return nil }
        let (offset, zone) = (parts.dropFirst().first, parts.dropFirst(2).first)
        self.init(
            UnixTime(milliseconds: time),
            offset: offset?.integer.flatMap { UTCOffset(minutes: $0) },
            zone: zone?.text.flatMap { ZoneName($0) }
        )
    }

    /// The start that a track's row tells; nil where it tells none.
    package init?(of track: [Text: Cell]) {
        self.init(track[TrackField.start]?.value)
        self = onClocks(of: track)
    }

    /// The same instant on the clocks that a person says, where one does.
    package func onClocks(of track: [Text: Cell]) -> TrackStart {
        guard let clocks = track[TrackField.zone]?.value.list,
            let told = TrackStart(.list([.integer(time.milliseconds)] + clocks)),
            told.offset != nil || told.zone != nil
        else { return self }
        return told
    }

    /// The `start` cell.
    package var value: Value { .list([.integer(time.milliseconds)] + parts) }

    /// The `zone` cell.
    package var clocks: Value { .list(parts) }

    private var parts: [Value] {
        [
            offset.map { .integer(Int64($0.minutes)) } ?? .null,
            zone.map { .text(Text($0.text)) } ?? .null,
        ]
    }
}
