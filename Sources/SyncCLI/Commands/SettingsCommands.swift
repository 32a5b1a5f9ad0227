import ProgramKit
import SyncCore

extension Commands {
    static let settingsList = Command(
        "settings list",
        summary: "list the settings, their values and what they are good for"
    ) { _, context in
        let library = try await context.library()
        let states = try await library.replica.settings(in: library.space)
        let output = context.output
        output.result(.object([("settings", .array(states.map { .object($0.members) }))])) {
            let isWide = (output.columns ?? 80) >= 72
            let rows = states.map { $0.cells(isWide: isWide) }
            return Table(columns: isWide ? wide : Array(wide.prefix(3)), rows: rows)
                .text(columns: output.columns, isColoured: output.isColoured)
        }
        tellProblems(states, output)
        return .success
    }

    static let settingsGet = Command(
        "settings get",
        "KEY",
        summary: "print the value of a setting"
    ) { arguments, context in
        let setting = try setting(arguments)
        let library = try await context.library()
        try await tell(setting, of: library, context)
        return .success
    }

    static let settingsSet = Command(
        "settings set",
        "KEY VALUE",
        summary: "set a setting, for all devices of this person"
    ) { arguments, context in
        let setting = try setting(arguments)
        let text = arguments.required("VALUE")
        guard let value = setting.type.value(of: text) else {
            throw UserError(
                .usage,
                "\(setting.key) cannot be '\(text)'",
                hint: "give \(setting.expected)"
            )
        }
        let library = try await context.library()
        try await library.replica.set(setting, to: value, in: library.space, at: context.now())
        try await tell(setting, of: library, context, isEdit: true)
        return .success
    }

    static let settingsReset = Command(
        "settings reset",
        "KEY",
        summary: "let the default of a setting apply again"
    ) { arguments, context in
        let setting = try setting(arguments)
        let library = try await context.library()
        try await library.replica.set(setting, to: .null, in: library.space, at: context.now())
        try await tell(setting, of: library, context, isEdit: true)
        return .success
    }

    private static let wide: [Table.Column] = [
        .whole("key"), .left("value"), .left("from").ifThereIsRoom, .left("what it is"),
    ]

    private static func setting(_ arguments: Arguments) throws -> Setting {
        let key = arguments.required("KEY")
        if let setting = Setting.named(key) { return setting }
        let keys = Setting.all.map(\.key.string)
        throw UserError(
            .notFound,
            "no setting '\(key)'",
            hint: Spelling.hint(for: key, in: keys)
                ?? "see 'wake settings list'"
        )
    }

    private static func tell(
        _ setting: Setting,
        of library: Library,
        _ context: Context,
        isEdit: Bool = false
    ) async throws {
        let states = try await library.replica.settings(in: library.space)
            .filter { $0.setting.key == setting.key }
        for state in states {
            context.output.result(.object(state.members)) {
                (isEdit ? "\(setting.key) is " : "") + setting.text(of: state.value) + "\n"
            }
        }
        tellProblems(states, context.output)
    }

    private static func tellProblems(_ states: [SettingState], _ output: Output) {
        for state in states {
            guard let problem = state.problem else { continue }
            output.warn("\(state.setting.key): \(problem)")
        }
    }
}

extension SettingState {
    fileprivate var members: [(String, JSON)] {
        [
            ("key", .text(setting.key.string)),
            ("value", .value(value)),
            ("isDefault", .bool(isDefault)),
            ("problem", .text(problem)),
        ]
    }

    /// Why what is stored is not used.
    fileprivate var problem: String? {
        unusable.map {
            "what is stored (\(JSON.value($0).compact)) is not \(setting.expected); "
                + "\(setting.text(of: value)) is used"
        }
    }

    fileprivate func cells(isWide: Bool) -> [String] {
        let source = isDefault ? "default" : "set"
        let cells = [setting.key.string, setting.text(of: value), source]
        return isWide ? cells + [setting.summary] : cells
    }
}

extension Setting {
    /// What a person can type.
    fileprivate var expected: String {
        guard case .ascending = type else { return type.expected }
        return "\(type.expected), such as \(text(of: defaultValue))"
    }

    /// A value as `settings set` takes it.
    fileprivate func text(of value: Value) -> String {
        switch value {
        case .bool(let truth): truth ? "yes" : "no"
        case .text(let text): text.string.withoutControls
        case .list(let values):
            values.map { $0.integer.map(String.init) ?? "–" }.joined(separator: ",")
        default: JSON.value(value).compact
        }
    }
}
