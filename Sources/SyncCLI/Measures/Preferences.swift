import ProgramKit
import SyncCore

/// How a person wants measures to be shown: their settings.
struct Preferences: Sendable, Equatable {
    var distance = DistanceUnit.metric
    var speed = SpeedUnit.knots
    var isTwelveHour = false
    var north = North.magnetic
    /// The lowest heart rates of the zones.
    var zones: [Int64] = []

    /// The defaults.
    init() {}

    /// What the settings say.
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

    /// A date and time of day in UTC, `–` where it is not known.
    func time(_ time: UnixTime?) -> String {
        time.map { CalendarTime($0).short(isTwelveHour: isTwelveHour) } ?? "–"
    }

    /// The same as the clocks of a track showed it, with the offset: `2026-05-01 11:30 +02:00`;
    /// in UTC, which it says, where nobody knows.
    func time(_ time: UnixTime?, of start: TrackStart?) -> String {
        guard let time else { return "–" }
        let offset = start?.offset(at: time)
        return CalendarTime(time, offset: offset).short(isTwelveHour: isTwelveHour)
            + " \(offset?.description ?? "UTC")"
    }

    /// The time of day to the second, as a track's clocks showed it; with the date where that is
    /// another than the track's first.
    func clock(_ time: UnixTime, of start: TrackStart?) -> String {
        let here = CalendarTime(time, offset: start?.offset(at: time))
        let clock = here.clock(isTwelveHour: isTwelveHour, hasSeconds: true)
        return here.date == start?.day ? clock : "\(here.date) \(clock)"
    }

    /// The start of a track with all that is known of the clocks there.
    func text(_ start: TrackStart?) -> String {
        let text = time(start?.time, of: start)
        guard let start, let zone = start.zone else { return text }
        let isKnown = ZoneRules.offset(of: zone, at: start.time) != nil
        return "\(text), \(zone.text)\(isKnown ? "" : " (not known here)")"
    }

    /// A distance, `–` where it is not known.
    func distance(_ metres: Double?) -> String {
        metres.map(distance.text(metres:)) ?? "–"
    }

    /// A speed in metres a second, `–` where it is not known.
    func speed(_ speed: Double?) -> String {
        speed.map(self.speed.text(metresPerSecond:)) ?? "–"
    }

    /// The time for a kilometre or mile, `5:12 /km`; `–` where it is not known, or over an hour, as of
    /// one who stands.
    func pace(_ speed: Double?) -> String {
        guard let speed, speed * 3600 >= distance.longMetres else { return "–" }
        return "\(Elapsed.text(seconds: distance.longMetres / speed)) /\(distance.longName)"
    }

    /// A heading, and from which north: `235° magnetic`.
    func text(_ heading: Heading) -> String {
        "\(Self.degrees(heading.degrees)) "
            + (heading.north == .geographic ? "true" : "magnetic")
    }

    /// A direction in whole degrees; 360 is 0.
    private static func degrees(_ value: Double) -> String {
        "\((value >= 359.5 ? value - 360 : value).magnitude.fixed(0))°"
    }

    /// A reading of a channel in its unit.
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
    /// The word for this unit in the setting `speedUnit`.
    fileprivate var settingValue: String { self == .knots ? "knots" : rawValue }
}

extension Channel {
    /// Whether 359 and 1 are neighbours, so that there is no least or greatest reading.
    var isCircular: Bool {
        [
            .course, .headingTrue, .headingMagnetic, .windAngleTrue, .windAngleApparent,
            .windDirectionTrue,
        ]
        .contains(self)
    }
}
