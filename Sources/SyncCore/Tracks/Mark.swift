/// A note at an instant of a track, or an alarm that held there.
///
/// One cell in the row of its track, for nothing of it means anything without the rest.
public struct Mark: Hashable, Sendable {
    /// The field in the track's row of marks.
    public let field: Text
    /// When it was made, or the alarm was raised.
    public let time: UnixTime
    /// What a person wrote, or the alarm said.
    public let text: String
    /// What was watched; nil for a note.
    public let alarm: Episode?

    /// How an alarm went.
    public struct Episode: Hashable, Sendable {
        /// As ``Alarm/Kind`` spells it, or as a later program does.
        public let kind: String
        /// When it was over; nil where it lasted to the end.
        public let cleared: UnixTime?
        /// The reading that was farthest beyond the limit, in the channel's unit.
        public let peak: Double
        /// Readings beyond the limit.
        public let readingCount: Int
    }

    /// The collection of all marks; the rows are those of the tracks.
    package static let collection: Text = "mark"
    /// Longer texts are no marks.
    package static let textByteLimit = 4096

    /// A note.
    package init(_ text: String, at time: UnixTime, id: Identifier) {
        field = Text(id.description)
        self.time = time
        self.text = text
        alarm = nil
    }

    /// An episode of an alarm, by when it was raised: what is known of it later comes over it.
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

    /// Reads a cell; nil for one that a program wrote that knows other marks.
    package init?(_ field: Text, _ value: Value) {
        guard let map = value.map, let time = map["time"]?.integer, let text = map["text"]?.text
        else { return nil }
        self.field = field
        self.time = UnixTime(milliseconds: time)
        self.text = text
        alarm = map["kind"]?.text.map { kind in
            Episode(
                kind: kind,
                cleared: map["cleared"]?.integer.map(UnixTime.init(milliseconds:)),
                peak: map["peak"]?.number ?? 0,
                readingCount: Int(clamping: map["readings"]?.integer ?? 0)
            )
        }
    }

    /// The cell.
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
