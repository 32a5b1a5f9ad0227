/// A setting as it stands: what is used, and what was wrong with what is stored.
public struct SettingState: Sendable {
    /// The setting.
    public let setting: Setting
    /// The value in use.
    public let value: Value
    /// Whether the value in use is the default.
    public let isDefault: Bool
    /// A stored value that this version cannot use; it is kept and relayed.
    public let unusable: Value?
}
