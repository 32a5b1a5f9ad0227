/// A condition that a recorder watches, and what it says when it holds.
public struct Alarm: Hashable, Sendable {
    /// What is watched, as marks name it.
    public enum Kind: String, CaseIterable, Sendable {
        /// The heel, to either side, is more than five degrees below the best.
        case underHeel = "heel-under"
        /// The heel is more than five degrees above the best.
        case overHeel = "heel-over"
        /// The speed over ground is above a limit.
        case speed
    }

    /// What is watched.
    public let kind: Kind
    /// What is said.
    public let message: String
    /// Counts of the channel's resolution: the alarm is beyond it, not at it.
    let limit: Int64

    /// The channel that is watched.
    public var channel: Channel { kind == .speed ? .speed : .heel }

    /// What a sensor can say; the rest is a broken file.
    private static let readings: ClosedRange<Int64> = -1_000_000...1_000_000

    /// How far from the best a heel is still good, in degrees, inclusive.
    private static let tolerance: Int64 = 5

    /// The alarms that a person's settings ask for.
    package static func all(of settings: [SettingState]) -> [Alarm] {
        func value(_ setting: Setting) -> Value {
            settings.first { $0.setting.key == setting.key }?.value ?? setting.defaultValue
        }
        let best = value(.optimumHeel).integer ?? 15
        let speed = value(.speedAlarm).integer ?? 0
        let alarms = [
            Alarm(
                kind: .underHeel,
                message: value(.underHeelAlarm).text ?? "",
                limit: (best - tolerance) * Int64(Channel.heel.countsPerUnit)
            ),
            Alarm(
                kind: .overHeel,
                message: value(.overHeelAlarm).text ?? "",
                limit: (best + tolerance) * Int64(Channel.heel.countsPerUnit)
            ),
            Alarm(
                kind: .speed,
                message: speed > 0 ? "Too fast" : "",
                limit: speed * Int64(Channel.speed.countsPerUnit)
            ),
        ]
        return alarms.filter { !$0.message.isEmpty }
    }

    /// How far a reading is beyond the limit; nil where it is not.
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

/// One time that an alarm held, from the first reading beyond its limit to the last.
public struct AlarmEpisode: Hashable, Sendable {
    /// The alarm.
    public let alarm: Alarm
    /// When the first reading was beyond the limit.
    public let raised: UnixTime
    /// When the readings were good again; nil while it lasts.
    public internal(set) var cleared: UnixTime?
    /// The reading that was farthest beyond the limit, in the channel's unit.
    public var peak: Double { Double(peakCount) / alarm.channel.countsPerUnit }
    /// Readings beyond the limit.
    public internal(set) var readingCount = 0
    var peakCount: Int64
}

/// Turns readings into episodes: one that flickers at its limit is one episode, not a hundred.
///
/// An alarm is raised when its readings were beyond the limit for three seconds, and cleared when
/// they were good for three.
package struct AlarmWatch: Sendable {
    /// What happened.
    package enum Event: Hashable, Sendable {
        case raised(AlarmEpisode)
        case cleared(AlarmEpisode)
    }

    fileprivate static let debounceMilliseconds: Int64 = 3000
    /// After so long without a reading nobody knows what was between.
    fileprivate static let gapMilliseconds: Int64 = 60_000
    private var watches: [Watch]

    fileprivate struct Watch {
        let alarm: Alarm
        var episode: AlarmEpisode?
        var isRaised = false
        /// Since when the readings say otherwise.
        var otherwiseSince: UnixTime?
        /// When the last reading was.
        var last: UnixTime?
    }

    /// Watches for these alarms.
    package init(_ alarms: [Alarm]) {
        watches = alarms.map { Watch(alarm: $0) }
    }

    /// Goes on to a sample; one without a time is passed over.
    package mutating func add(_ sample: Sample) -> [Event] {
        guard let time = sample.time else { return [] }
        return watches.indices.compactMap { index in
            sample[count: watches[index].alarm.channel].flatMap { watches[index].add($0, at: time) }
        }
    }

    /// The episodes that last.
    package var lasting: [AlarmEpisode] {
        watches.compactMap { $0.isRaised ? $0.episode : nil }
    }
}

extension AlarmWatch.Watch {
    fileprivate mutating func add(_ count: Int64, at time: UnixTime) -> AlarmWatch.Event? {
        let ended = endAtGap(before: time)
        last = time
        return ended ?? addReading(count, at: time)
    }

    /// A gap, or a clock that was set back, ends what held.
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
