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
    public let type: FieldType
    /// What holds while nobody set it; code, never a cell, so a later default applies.
    public let defaultValue: Value

    /// The collection of all settings.
    package static let collection: Text = "setting"
}

extension Setting {
    /// Whether distances are in metres and kilometres.
    public static let metric = Setting(
        key: "metric",
        summary: "distances and heights in metres (yes) or feet and miles (no)",
        type: .bool,
        defaultValue: .bool(true)
    )

    /// The unit of speeds.
    public static let speedUnit = Setting(
        key: "speedUnit",
        summary: "the unit of speeds",
        type: .choice(["knots", "km/h", "mph", "m/s"]),
        defaultValue: .text("knots")
    )

    /// How times of day are shown.
    public static let twelveHourClock = Setting(
        key: "twelveHourClock",
        summary: "times of day with am and pm",
        type: .bool,
        defaultValue: .bool(false)
    )

    /// Which north headings are counted from.
    public static let trueNorth = Setting(
        key: "trueNorth",
        summary: "headings from true north (yes) or from magnetic north (no)",
        type: .bool,
        defaultValue: .bool(false)
    )

    /// The lowest rate of each of the five heart-rate zones; below the first is the warm-up.
    ///
    /// One cell, since they must ascend together.
    public static let heartRateZones = Setting(
        key: "heartRateZones",
        summary: "lowest rates of the five heart-rate zones, beats a minute",
        type: .ascending(count: 5, within: 30...250),
        defaultValue: .list([95, 114, 133, 152, 171].map(Value.integer))
    )

    /// The heel that a boat sails best with; the alarms of heel are about it.
    public static let optimumHeel = Setting(
        key: "optimumHeel",
        summary: "the best heel in degrees; five degrees more or less raise an alarm",
        type: .oneOf([10, 15, 20]),
        defaultValue: .integer(15)
    )

    /// What is said where the heel is less than the best.
    public static let underHeelAlarm = Setting(
        key: "underHeelAlarm",
        summary: "what the alarm of too little heel says; empty for no alarm",
        type: .text(byteLimit: 200),
        defaultValue: .text("The boat is too flat")
    )

    /// What is said where the heel is more than the best.
    public static let overHeelAlarm = Setting(
        key: "overHeelAlarm",
        summary: "what the alarm of too much heel says; empty for no alarm",
        type: .text(byteLimit: 200),
        defaultValue: .text("Too much heel")
    )

    /// Whether an alarm is heard.
    public static let speakHeelAlarms = Setting(
        key: "speakHeelAlarms",
        summary: "ring the terminal's bell at an alarm",
        type: .bool,
        defaultValue: .bool(false)
    )

    /// The speed above which there is an alarm.
    public static let speedAlarm = Setting(
        key: "speedAlarm",
        summary: "metres a second above which there is an alarm; 0 for none",
        type: .whole(0...1000),
        defaultValue: .integer(0)
    )

    /// Whether the files that tracks come from are kept.
    public static let keepOriginals = Setting(
        key: "keepOriginals",
        summary: "keep the files that tracks are imported from, on every device",
        type: .bool,
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

extension CollectionSchema {
    /// The settings of people and devices.
    public static let setting = CollectionSchema(
        Setting.collection,
        noun: "settings",
        plural: "settings",
        "how a person wants things to be, on all their devices",
        rows: .scopes,
        writers: .oneself,
        fields: Setting.all.map { FieldSchema($0.key, $0.type, $0.summary) }
    )
}
