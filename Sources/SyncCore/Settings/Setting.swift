/// A setting that this version knows: its type and its default.
///
/// Writes are strict, merges are tolerant: an invalid value is kept and synced, but not used.
public struct Setting: Sendable {
    /// The field in the row of a person or a device.
    public let key: Text
    /// A description for people.
    public let summary: String
    /// The type of the value.
    public let type: FieldType
    /// The value while nobody has set one.
    ///
    /// The default is never stored as a cell, so a newer version can change it.
    public let defaultValue: Value

    /// The collection of all settings.
    package static let collection: Text = "setting"
}

extension Setting {
    /// Whether distances and heights are metric.
    public static let metric = Setting(
        key: "metric",
        summary: "use metres and kilometres (yes) or feet and miles (no)",
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

    /// Whether times of day use a 12-hour clock.
    public static let twelveHourClock = Setting(
        key: "twelveHourClock",
        summary: "show times of day with am and pm",
        type: .bool,
        defaultValue: .bool(false)
    )

    /// Whether headings refer to true north instead of magnetic north.
    public static let trueNorth = Setting(
        key: "trueNorth",
        summary: "show headings from true north (yes) or magnetic north (no)",
        type: .bool,
        defaultValue: .bool(false)
    )

    /// The lowest rate of each of the five heart-rate zones, in beats a minute.
    ///
    /// A single cell, because the five must ascend together. Rates below the first zone are
    /// warm-up.
    public static let heartRateZones = Setting(
        key: "heartRateZones",
        summary: "the lower limits of the five heart-rate zones, in beats a minute",
        type: .ascending(count: 5, within: 30...250),
        defaultValue: .list([95, 114, 133, 152, 171].map(Value.integer))
    )

    /// The optimum heel in degrees; the heel alarms are relative to it.
    public static let optimumHeel = Setting(
        key: "optimumHeel",
        summary: "the optimum heel in degrees; 5 degrees more or less raises an alarm",
        type: .oneOf([10, 15, 20]),
        defaultValue: .integer(15)
    )

    /// The message of the alarm when the heel is too low; empty for no alarm.
    public static let underHeelAlarm = Setting(
        key: "underHeelAlarm",
        summary: "the message of the low-heel alarm; empty for no alarm",
        type: .text(byteLimit: 200),
        defaultValue: .text("The boat is too flat")
    )

    /// The message of the alarm when the heel is too great; empty for no alarm.
    public static let overHeelAlarm = Setting(
        key: "overHeelAlarm",
        summary: "the message of the high-heel alarm; empty for no alarm",
        type: .text(byteLimit: 200),
        defaultValue: .text("Too much heel")
    )

    /// Whether an alarm rings the terminal's bell; its key is older than the other alarms.
    public static let alarmBell = Setting(
        key: "speakHeelAlarms",
        summary: "ring the terminal bell on an alarm",
        type: .bool,
        defaultValue: .bool(false)
    )

    /// The speed in metres a second above which an alarm is raised; 0 for none.
    public static let speedAlarm = Setting(
        key: "speedAlarm",
        summary: "the speed in metres a second that raises an alarm; 0 for none",
        type: .whole(0...1000),
        defaultValue: .integer(0)
    )

    /// Whether the original files of imported tracks are kept.
    public static let keepOriginals = Setting(
        key: "keepOriginals",
        summary: "keep the original files of imported tracks on every device",
        type: .bool,
        defaultValue: .bool(true)
    )

    /// All settings that this version knows.
    public static let all = [
        metric, speedUnit, twelveHourClock, trueNorth, heartRateZones, optimumHeel, underHeelAlarm,
        overHeelAlarm, alarmBell, speedAlarm, keepOriginals,
    ]

    /// Returns the setting with this key, or nil if this version does not know it.
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
        "the preferences of a person or a device",
        rows: .scopes,
        writers: .oneself,
        fields: Setting.all.map { FieldSchema($0.key, $0.type, $0.summary) }
    )
}
