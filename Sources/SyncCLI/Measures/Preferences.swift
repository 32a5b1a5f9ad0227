import ProgramKit
import SyncCore

/// The display preferences, taken from the person's settings.
struct Preferences: Sendable, Equatable {
    var distance = DistanceUnit.metric
    var speed = SpeedUnit.knots
    var isTwelveHour = false
    var north = North.magnetic
    /// The lower limits of the heart-rate zones, in beats per minute.
    var zones: [Int64] = []

    init() {}

    init(_ settings: [SettingState]) {
        for state in settings {
            switch state.setting.key {
            case Setting.metric.key: distance = state.value.bool == false ? .imperial : .metric
            case Setting.speedUnit.key:
                speed = SpeedUnit.allCases.first { $0.settingValue == state.value.text } ?? speed
            case Setting.twelveHourClock.key: isTwelveHour = state.value.bool == true
            case Setting.trueNorth.key: north = state.value.bool == true ? .geographic : .magnetic
            case Setting.heartRateZones.key:
                zones = state.value.list?.compactMap(\.integer) ?? []
            default: break
            }
        }
    }

    /// Returns a date and time in UTC, or `–` if it is unknown.
    func time(_ time: UnixTime?) -> String {
        time.map { CalendarTime($0).short(isTwelveHour: isTwelveHour) } ?? "–"
    }

    /// Returns a time in a track's local time with its offset: `2026-05-01 11:30 +02:00`.
    ///
    /// If the offset is unknown, the time is in UTC and says so.
    func time(_ time: UnixTime?, of start: TrackStart?) -> String {
        guard let time else { return "–" }
        let offset = start?.offset(at: time)
        return CalendarTime(time, offset: offset).short(isTwelveHour: isTwelveHour)
            + " \(offset?.description ?? "UTC")"
    }

    /// Returns the local time of day to the second.
    ///
    /// The date precedes it if it differs from that of the track's start.
    func clock(_ time: UnixTime, of start: TrackStart?) -> String {
        let here = CalendarTime(time, offset: start?.offset(at: time))
        let clock = here.clock(isTwelveHour: isTwelveHour, hasSeconds: true)
        return here.date == start?.day ? clock : "\(here.date) \(clock)"
    }

    /// Returns the start of a track with its zone, if known.
    func text(_ start: TrackStart?) -> String {
        let text = time(start?.time, of: start)
        guard let start, let zone = start.zone else { return text }
        let isKnown = ZoneRules.offset(of: zone, at: start.time) != nil
        return "\(text), \(zone.text)\(isKnown ? "" : " (not known here)")"
    }

    /// Returns a distance, or `–` if it is unknown.
    func distance(_ metres: Double?) -> String {
        metres.map(distance.text(metres:)) ?? "–"
    }

    /// Returns a speed given in metres per second, or `–` if it is unknown.
    func speed(_ speed: Double?) -> String {
        speed.map(self.speed.text(metresPerSecond:)) ?? "–"
    }

    /// Returns the time per kilometre or mile, such as `5:12 /km`.
    ///
    /// Returns `–` if the speed is unknown or the pace exceeds an hour, as it does at rest.
    func pace(_ speed: Double?) -> String {
        guard let speed, speed * 3600 >= distance.longMetres else { return "–" }
        return "\(Elapsed.text(seconds: distance.longMetres / speed)) /\(distance.longName)"
    }

    /// Returns a heading with its north: `235° magnetic`.
    func text(_ heading: Heading) -> String {
        "\(Self.degrees(heading.degrees)) "
            + (heading.north == .geographic ? "true" : "magnetic")
    }

    /// Returns a direction in whole degrees, from 0 to 359.
    private static func degrees(_ value: Double) -> String {
        "\((value >= 359.5 ? value - 360 : value).magnitude.fixed(0))°"
    }

    /// Returns a reading of a channel in the preferred unit.
    func text(_ channel: Channel, _ value: Double) -> String {
        switch channel {
        case .speed, .waterSpeed, .windSpeedTrue, .windSpeedApparent:
            speed.text(metresPerSecond: value)
        case .altitude, .depth, .accuracy: distance.text(heightMetres: value)
        case .temperature, .waterTemperature: "\(value.fixed(1)) °C"
        case .heartRate: "\(value.fixed(0)) bpm"
        case .cadence: "\(value.fixed(0)) /min"
        case .power: "\(value.fixed(0)) W"
        case .pressure: "\(value.fixed(1)) hPa"
        case .heel, .pitch, .rudder, .variation: "\(value.fixed(1))°"
        case _ where channel.isCircular: Self.degrees(value)
        default: value.fixed(channel.decimals)
        }
    }
}

extension SpeedUnit {
    /// The value of the setting `speedUnit` for this unit.
    fileprivate var settingValue: String { self == .knots ? "knots" : rawValue }
}

extension Channel {
    /// Whether the channel is a direction that wraps at 360 degrees and so has no extremes.
    var isCircular: Bool {
        [
            .course, .headingTrue, .headingMagnetic, .windAngleTrue, .windAngleApparent,
            .windDirectionTrue,
        ]
        .contains(self)
    }
}
