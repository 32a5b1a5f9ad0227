/// The effective value of a setting, and any invalid stored one.
public struct SettingState: Sendable {
    /// The setting.
    public let setting: Setting
    /// The value in use.
    public let value: Value
    /// Whether the value in use is the default.
    public let isDefault: Bool
    /// A stored value that this version cannot use but keeps and syncs, or nil.
    public let unusable: Value?
}
