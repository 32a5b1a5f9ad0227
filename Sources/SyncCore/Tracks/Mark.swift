/// A note at an instant of a track, or an alarm that held there.
///
/// It is a single cell in the track's row, because its parts are meaningless alone.
public struct Mark: Hashable, Sendable {
    /// The field in the track's row of marks.
    public let field: Text
    /// The time of the note, or the time when the alarm was raised.
    public let time: UnixTime
    /// The text that a person wrote, or the alarm's message.
    public let text: String
    /// The alarm, or nil for a note.
    public let alarm: Episode?

    /// The course of an alarm.
    public struct Episode: Hashable, Sendable {
        /// The ``Alarm/Kind`` as text; a newer version may write others.
        public let kind: String
        /// The time when the alarm ended, or nil if it held to the end.
        public let cleared: UnixTime?
        /// The reading farthest beyond the limit, in the channel's unit.
        public let peak: Double
        /// The number of readings beyond the limit.
        public let readingCount: Int
    }

    /// The collection of all marks; its rows have the ids of the tracks.
    package static let collection: Text = "mark"
    /// The most bytes in a note.
    package static let textByteLimit = 4096

    package init(_ text: String, at time: UnixTime, id: Identifier) {
        field = Text(id.description)
        (self.time, self.text, alarm) = (time, text, nil)
    }

    /// Creates the mark of an alarm.
    ///
    /// Its field is the kind and the start, so a later state of the alarm overwrites an earlier
    /// one.
    package init(_ episode: AlarmEpisode) {
        let kind = episode.alarm.kind.rawValue
        field = Text("\(kind)/\(episode.raised.milliseconds)")
        time = episode.raised
        text = episode.alarm.message
        alarm = Episode(
            kind: kind,
            cleared: episode.cleared,
            peak: episode.peak,
            readingCount: episode.readingCount
        )
    }

    /// Decodes a cell, or returns nil if it lacks a time or a text.
    package init?(_ field: Text, _ value: Value) {
        guard let map = value.map, let time = map["time"]?.integer, let text = map["text"]?.text
        else { return nil }
        (self.field, self.time, self.text) = (field, UnixTime(milliseconds: time), text)
        alarm = map["kind"]?.text.map { kind in
            Episode(
                kind: kind,
                cleared: map["cleared"]?.integer.map(UnixTime.init(milliseconds:)),
                peak: map["peak"]?.number ?? 0,
                readingCount: Int(clamping: map["readings"]?.integer ?? 0)
            )
        }
    }

    package var value: Value {
        var map: [Text: Value] = ["time": .integer(time.milliseconds), "text": .text(Text(text))]
        if let alarm {
            map["kind"] = .text(Text(alarm.kind))
            map["peak"] = .float(alarm.peak)
            map["readings"] = .integer(Int64(alarm.readingCount))
            map["cleared"] = alarm.cleared.map { .integer($0.milliseconds) }
        }
        return .map(map)
    }
}
