/// The settings of the user.
public struct Settings: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Returns the user's settings, all that this version knows.
    public func all(in space: Identifier) throws -> [SettingState] {
        let row = Row.user(try identity.current().user)
        let cells = try rows.cells(Setting.collection, row, in: space)
        return try Setting.all.map { setting in
            let stored = cells[setting.key].flatMap { $0.isUnset ? nil : $0.value }
            let isUsable = stored.map(setting.type.accepts) ?? true
            let value = try isUsable ? stored : lastUsable(setting, row, in: space)
            return SettingState(
                setting: setting,
                value: value ?? setting.defaultValue,
                isDefault: value == nil,
                unusable: isUsable ? nil : stored
            )
        }
    }

    /// Sets a setting of the user, or resets it to its default if `value` is null.
    public func set(
        _ setting: Setting,
        to value: Value,
        in space: Identifier,
        at now: Moment
    ) throws {
        precondition(value == .null || setting.type.accepts(value), "strict when written")
        let row = Row.user(try identity.current().user)
        let edit = Edit(Key(Setting.collection, row, setting.key), value)
        try actions.write([edit], as: "setting \(setting.key)", in: space, at: now)
    }

    /// Returns the latest value in the history that this version accepts.
    private func lastUsable(_ setting: Setting, _ row: Row, in space: Identifier) throws -> Value? {
        try history.entries(of: Setting.collection, row, in: space)
            .filter { $0.change.key.field == setting.key && $0.state.counts }
            .map(\.change.cell)
            .filter { setting.type.accepts($0.value) }
            .max()?.value
    }
}
