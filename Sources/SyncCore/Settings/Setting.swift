/// A setting that this version knows: its default, and what it may hold.
///
/// Strict when written, tolerant when merged: a value that is not valid here is kept and relayed,
/// but not used.
public struct Setting: Sendable {
    /// The field in the row of its scope.
    public let key: Text
    /// What it is good for, for people.
    public let summary: String
    /// What it may hold.
    public let kind: Kind
    /// What holds while nobody set it; code, never a cell, so a later default applies.
    public let defaultValue: Value

    /// What a setting may hold.
    public enum Kind: Hashable, Sendable {
        /// Yes or no.
        case bool
        /// One of some words.
        case choice([String])
        /// Whole numbers, strictly ascending, this many, within bounds.
        case ascending(count: Int, within: ClosedRange<Int64>)
        /// One of some whole numbers.
        case oneOf([Int64])
        /// A whole number within bounds.
        case whole(ClosedRange<Int64>)
        /// Some words, at most so many bytes of UTF-8.
        case words(byteLimit: Int)
    }

    /// The collection of all settings.
    package static let collection: Text = "setting"

    /// The row of a person's settings.
    package static func row(user: Identifier) -> Row {
        .text(Text("user/\(user)"))
    }

    /// The row of one device's settings.
    package static func row(device: Identifier) -> Row {
        .text(Text("device/\(device)"))
    }
}

extension Setting {
    /// Whether distances are in metres and kilometres.
    public static let metric = Setting(
        key: "metric",
        summary: "distances and heights in metres (yes) or feet and miles (no)",
        kind: .bool,
        defaultValue: .bool(true)
    )

    /// The unit of speeds.
    public static let speedUnit = Setting(
        key: "speedUnit",
        summary: "the unit of speeds",
        kind: .choice(["knots", "km/h", "mph", "m/s"]),
        defaultValue: .text("knots")
    )

    /// How times of day are shown.
    public static let twelveHourClock = Setting(
        key: "twelveHourClock",
        summary: "times of day with am and pm",
        kind: .bool,
        defaultValue: .bool(false)
    )

    /// Which north headings are counted from.
    public static let trueNorth = Setting(
        key: "trueNorth",
        summary: "headings from true north (yes) or from magnetic north (no)",
        kind: .bool,
        defaultValue: .bool(false)
    )

    /// The lowest rate of each of the five heart-rate zones; below the first is the warm-up.
    ///
    /// One cell, since they must ascend together.
    public static let heartRateZones = Setting(
        key: "heartRateZones",
        summary: "lowest rates of the five heart-rate zones, beats a minute",
        kind: .ascending(count: 5, within: 30...250),
        defaultValue: .list([95, 114, 133, 152, 171].map(Value.integer))
    )

    /// The heel that a boat sails best with; the alarms of heel are about it.
    public static let optimumHeel = Setting(
        key: "optimumHeel",
        summary: "the best heel in degrees; five degrees more or less raise an alarm",
        kind: .oneOf([10, 15, 20]),
        defaultValue: .integer(15)
    )

    /// What is said where the heel is less than the best.
    public static let underHeelAlarm = Setting(
        key: "underHeelAlarm",
        summary: "what the alarm of too little heel says; empty for no alarm",
        kind: .words(byteLimit: 200),
        defaultValue: .text("The boat is too flat")
    )

    /// What is said where the heel is more than the best.
    public static let overHeelAlarm = Setting(
        key: "overHeelAlarm",
        summary: "what the alarm of too much heel says; empty for no alarm",
        kind: .words(byteLimit: 200),
        defaultValue: .text("Too much heel")
    )

    /// Whether an alarm is heard.
    public static let speakHeelAlarms = Setting(
        key: "speakHeelAlarms",
        summary: "ring the terminal's bell at an alarm",
        kind: .bool,
        defaultValue: .bool(false)
    )

    /// The speed above which there is an alarm.
    public static let speedAlarm = Setting(
        key: "speedAlarm",
        summary: "metres a second above which there is an alarm; 0 for none",
        kind: .whole(0...1000),
        defaultValue: .integer(0)
    )

    /// Whether the files that tracks come from are kept.
    public static let keepOriginals = Setting(
        key: "keepOriginals",
        summary: "keep the files that tracks are imported from, on every device",
        kind: .bool,
        defaultValue: .bool(true)
    )

    /// Every setting that this version knows.
    public static let all = [
        metric, speedUnit, twelveHourClock, trueNorth, heartRateZones, optimumHeel, underHeelAlarm,
        overHeelAlarm, speakHeelAlarms, speedAlarm, keepOriginals,
    ]

    /// The setting with this key.
    public static func named(_ key: String) -> Setting? {
        all.first { $0.key == Text(key) }
    }
}

extension Setting {
    /// Whether the setting may hold a value.
    public func accepts(_ value: Value) -> Bool {
        switch kind {
        case .bool: value.bool != nil
        case .choice(let words): value.text.map(words.contains) ?? false
        case .ascending(let count, let bounds):
            value.list.map { list in
                let numbers = list.compactMap(\.integer)
                return numbers.count == list.count && numbers.count == count
                    && numbers.allSatisfy(bounds.contains)
                    && zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
            } ?? false
        case .oneOf(let numbers): value.integer.map(numbers.contains) ?? false
        case .whole(let bounds): value.integer.map(bounds.contains) ?? false
        case .words(let limit): value.text.map { $0.utf8.count <= limit } ?? false
        }
    }

    /// Reads what a person typed; nil where the setting may not hold it.
    public func value(of text: String) -> Value? {
        let value: Value
        switch kind {
        case .bool:
            guard let truth = Self.truths[text.lowercased()] else { return nil }
            value = .bool(truth)
        case .choice, .words: value = .text(Text(text))
        case .oneOf, .whole: value = Int64(text).map(Value.integer) ?? .null
        case .ascending:
            let numbers = text.split { $0 == "," || $0 == " " }.map { Int64($0) }
            value = .list(numbers.map { $0.map(Value.integer) ?? .null })
        }
        return accepts(value) ? value : nil
    }

    private static let truths = [
        "true": true, "yes": true, "on": true, "false": false, "no": false, "off": false,
    ]

    /// What a person can type, for help and errors.
    public var expected: String {
        switch kind {
        case .bool: "yes or no"
        case .choice(let words): "one of " + words.joined(separator: ", ")
        case .oneOf(let numbers): "one of " + numbers.map(String.init).joined(separator: ", ")
        case .whole(let bounds):
            "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
        case .words(let limit): "at most \(limit) bytes of text"
        case .ascending(let count, let bounds):
            "\(count) ascending whole numbers from \(bounds.lowerBound) to \(bounds.upperBound), "
                + "such as 95,114,133,152,171"
        }
    }
}
