/// A condition that a recorder watches for, and the message it then shows.
public struct Alarm: Hashable, Sendable {
    /// The watched condition; its raw value is the name in marks.
    public enum Kind: String, CaseIterable, Sendable {
        /// The heel, to either side, is more than five degrees below the optimum.
        case underHeel = "heel-under"
        /// The heel, to either side, is more than five degrees above the optimum.
        case overHeel = "heel-over"
        /// The speed over ground is above a limit.
        case speed
    }

    /// The watched condition.
    public let kind: Kind
    /// The message that the recorder shows.
    public let message: String
    /// The limit in counts of the channel; the alarm holds beyond it, not at it.
    let limit: Int64

    /// The watched channel.
    public var channel: Channel { kind == .speed ? .speed : .heel }

    /// The readings that a sensor can give; others come from a broken file.
    private static let readings: ClosedRange<Int64> = -1_000_000...1_000_000

    /// The greatest good deviation from the optimum heel, in degrees.
    private static let tolerance: Int64 = 5

    /// Returns the alarms that a person's settings turn on.
    package static func all(of settings: [SettingState]) -> [Alarm] {
        func value(_ setting: Setting) -> Value {
            settings.first { $0.setting.key == setting.key }?.value ?? setting.defaultValue
        }
        func alarm(_ kind: Kind, _ message: String, limit: Int64) -> Alarm {
            let counts = limit * Int64((kind == .speed ? Channel.speed : .heel).countsPerUnit)
            return Alarm(kind: kind, message: message, limit: counts)
        }
        let best = value(.optimumHeel).integer ?? 15
        let speed = value(.speedAlarm).integer ?? 0
        let alarms = [
            alarm(.underHeel, value(.underHeelAlarm).text ?? "", limit: best - tolerance),
            alarm(.overHeel, value(.overHeelAlarm).text ?? "", limit: best + tolerance),
            alarm(.speed, speed > 0 ? "Too fast" : "", limit: speed),
        ]
        return alarms.filter { !$0.message.isEmpty }
    }

    /// Returns how far a reading is beyond the limit, or nil if it is not.
    func excess(_ count: Int64) -> Int64? {
        guard Self.readings.contains(count) else { return nil }
        let excess =
            switch kind {
            case .underHeel: limit - abs(count)
            case .overHeel: abs(count) - limit
            case .speed: count - limit
            }
        return excess > 0 ? excess : nil
    }
}

/// One period in which an alarm held.
public struct AlarmEpisode: Hashable, Sendable {
    /// The alarm that held.
    public let alarm: Alarm
    /// The time of the first reading beyond the limit.
    public let raised: UnixTime
    /// The time from which readings were good again, or nil while the alarm holds.
    public internal(set) var cleared: UnixTime?
    /// The reading farthest beyond the limit, in the channel's unit.
    public var peak: Double { Double(peakCount) / alarm.channel.countsPerUnit }
    /// The number of readings beyond the limit.
    public internal(set) var readingCount = 0
    var peakCount: Int64
}

/// Debounces readings into episodes, so that flicker at a limit makes one episode.
///
/// An alarm is raised once its readings are beyond the limit for three seconds, and cleared once
/// they are good for three seconds.
package struct AlarmWatch: Sendable {
    package enum Event: Hashable, Sendable {
        case raised(AlarmEpisode)
        case cleared(AlarmEpisode)
    }

    fileprivate static let debounceMilliseconds: Int64 = 3000
    /// After a longer gap, the state in between is unknown.
    fileprivate static let gapMilliseconds: Int64 = 60_000
    private var watches: [Watch]

    fileprivate struct Watch {
        let alarm: Alarm
        var episode: AlarmEpisode?
        var isRaised = false
        /// The start of the good readings since the last one beyond the limit.
        var otherwiseSince: UnixTime?
        /// The time of the last reading.
        var last: UnixTime?
    }

    package init(_ alarms: [Alarm]) { watches = alarms.map { Watch(alarm: $0) } }

    /// Adds a sample and returns what it raised or cleared; one without a time is ignored.
    package mutating func add(_ sample: Sample) -> [Event] {
        guard let time = sample.time else { return [] }
        return watches.indices.compactMap { index in
            sample[count: watches[index].alarm.channel].flatMap { watches[index].add($0, at: time) }
        }
    }

    /// The raised episodes that are not cleared yet.
    package var lasting: [AlarmEpisode] { watches.compactMap { $0.isRaised ? $0.episode : nil } }
}

extension AlarmWatch.Watch {
    fileprivate mutating func add(_ count: Int64, at time: UnixTime) -> AlarmWatch.Event? {
        let ended = endAtGap(before: time)
        last = time
        return ended ?? addReading(count, at: time)
    }

    /// Ends the episode at a gap, or if the clock was set back.
    private mutating func endAtGap(before time: UnixTime) -> AlarmWatch.Event? {
        guard let last,
            !(0...AlarmWatch.gapMilliseconds).contains(time.milliseconds - last.milliseconds)
        else { return nil }
        defer { (episode, isRaised, otherwiseSince) = (nil, false, nil) }
        guard isRaised, var episode else { return nil }
        episode.cleared = last
        return .cleared(episode)
    }

    private mutating func addReading(_ count: Int64, at time: UnixTime) -> AlarmWatch.Event? {
        guard alarm.excess(count) != nil else { return addGood(at: time) }
        otherwiseSince = nil
        var episode = episode ?? AlarmEpisode(alarm: alarm, raised: time, peakCount: count)
        episode.readingCount += 1
        if let excess = alarm.excess(count), excess > alarm.excess(episode.peakCount) ?? 0 {
            episode.peakCount = count
        }
        self.episode = episode
        guard !isRaised, Self.isLong(from: episode.raised, to: time) else { return nil }
        isRaised = true
        return .raised(episode)
    }

    private mutating func addGood(at time: UnixTime) -> AlarmWatch.Event? {
        guard var episode else { return nil }
        let since = otherwiseSince ?? time
        otherwiseSince = since
        guard Self.isLong(from: since, to: time) else { return nil }
        self.episode = nil
        otherwiseSince = nil
        guard isRaised else { return nil }
        isRaised = false
        episode.cleared = since
        return .cleared(episode)
    }

    private static func isLong(from start: UnixTime, to end: UnixTime) -> Bool {
        end.milliseconds - start.milliseconds >= AlarmWatch.debounceMilliseconds
    }
}
