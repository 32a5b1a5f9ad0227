import ProgramKit
internal import Glibc

/// A unit system for distances.
enum DistanceUnit: String, CaseIterable, Sendable {
    case metric
    case nautical
    case imperial

    /// Returns a distance in metres as text: `950 m`, `1.23 km`, `0.66 NM`, `1.50 mi`.
    func text(metres: Double) -> String {
        switch self {
        case .metric where abs(metres) < 999.5: "\(metres.fixed(0)) m"
        case .imperial where abs(metres) < 0.1 * Self.mileMetres:
            "\((metres / Self.footMetres).fixed(0)) ft"
        default: Self.long(metres / longMetres, longName)
        }
    }

    /// Returns a height or depth in metres as text: `12.3 m`, `40 ft`.
    func text(heightMetres metres: Double) -> String {
        self == .imperial
            ? "\((metres / Self.footMetres).fixed(0)) ft" : "\(metres.fixed(1)) m"
    }

    private static let footMetres = 0.3048
    /// The name of the unit for heights and depths.
    var heightName: String { self == .imperial ? "ft" : "m" }
    /// The length of the unit for heights in metres.
    var heightMetres: Double { self == .imperial ? Self.footMetres : 1 }

    private static let mileMetres = 1609.344

    private static func long(_ value: Double, _ name: String) -> String {
        "\(value.fixed(abs(value) < 99.995 ? 2 : 1)) \(name)"
    }

    /// The name of the unit for long distances.
    var longName: String {
        switch self {
        case .metric: "km"
        case .nautical: "NM"
        case .imperial: "mi"
        }
    }

    /// The length of the unit for long distances in metres.
    var longMetres: Double {
        switch self {
        case .metric: 1000
        case .nautical: 1852
        case .imperial: Self.mileMetres
        }
    }

    /// Returns a scale bar of a round length up to `longest` metres: `200 m`, `5 km`, `0.1 NM`.
    func scaleBar(below longest: Double) -> (metres: Double, name: String) {
        let unitMetres = scaleMetres(below: longest)
        let power = pow(10, log10(max(longest / unitMetres, 1e-9)).rounded(.down))
        let factor = [5.0, 2, 1].first { $0 * power <= longest / unitMetres } ?? 1
        let length = factor * power
        return (length * unitMetres, scaleText(length, unitMetres: unitMetres))
    }

    /// Returns the length of the scale bar's unit: the long unit if it fits, else the short one.
    private func scaleMetres(below longest: Double) -> Double {
        switch self {
        case _ where longest >= longMetres: longMetres
        case .metric: 1
        case .nautical: longMetres
        case .imperial: Self.footMetres
        }
    }

    private func scaleText(_ length: Double, unitMetres: Double) -> String {
        let name = unitMetres == longMetres ? longName : self == .imperial ? "ft" : "m"
        let decimals = (0...6).first { length.fixed($0) != "0" && exact(length, $0) } ?? 6
        return "\(length.fixed(decimals)) \(name)"
    }

    private func exact(_ length: Double, _ decimals: Int) -> Bool {
        abs((Double(length.fixed(decimals)) ?? 0) - length) < length / 1000
    }
}

/// A unit for speeds.
enum SpeedUnit: String, CaseIterable, Sendable {
    case metresPerSecond = "m/s"
    case kilometresPerHour = "km/h"
    case knots = "kn"
    case milesPerHour = "mph"

    /// Returns a speed in metres per second as text: `6.4 kn`.
    func text(metresPerSecond speed: Double) -> String {
        "\(value(metresPerSecond: speed).fixed(1)) \(rawValue)"
    }

    /// Converts a speed from metres per second to this unit.
    func value(metresPerSecond speed: Double) -> Double {
        switch self {
        case .metresPerSecond: speed
        case .kilometresPerHour: speed * 3.6
        case .knots: speed * 3600 / 1852
        case .milesPerHour: speed * 3600 / 1609.344
        }
    }
}
