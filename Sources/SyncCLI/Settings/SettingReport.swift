import ProgramKit
import SyncCore

/// Shared parts of the commands that show settings.
enum SettingReport {
    static func setting(namedBy arguments: Arguments) throws -> Setting {
        let key = arguments.required("KEY")
        if let setting = Setting.named(key) { return setting }
        let keys = Setting.all.map(\.key.string)
        throw UserError.notFound(
            "unknown setting '\(key)'",
            hint: Spelling.hint(for: key, in: keys) ?? "see 'wake settings list'"
        )
    }

    static func tell(
        _ setting: Setting,
        of library: Library,
        _ context: Context,
        isEdit: Bool = false
    ) async throws {
        let states = try await library.replica.read { try $0.settings.all(in: library.own) }
            .filter { $0.setting.key == setting.key }
        for state in states {
            context.output.result(.object(state.members)) {
                (isEdit ? "\(setting.key) is " : "") + setting.text(of: state.value) + "\n"
            }
        }
        tellProblems(states, context.output)
    }

    static func tellProblems(_ states: [SettingState], _ output: Output) {
        for state in states {
            guard let problem = state.problem else { continue }
            output.warn("\(state.setting.key): \(problem)")
        }
    }
}

extension SettingState {
    var members: [(String, JSON)] {
        [
            ("key", .text(setting.key.string)),
            ("value", .value(value)),
            ("isDefault", .bool(isDefault)),
            ("problem", .text(problem)),
        ]
    }

    /// The reason why the stored value is not used, or nil if it is.
    fileprivate var problem: String? {
        unusable.map {
            "the stored value (\(JSON.value($0).compact)) is not \(setting.expected); "
                + "\(setting.text(of: value)) is used"
        }
    }

    func cells(isWide: Bool) -> [String] {
        let source = isDefault ? "default" : "set"
        let cells = [setting.key.string, setting.text(of: value), source]
        return isWide ? cells + [setting.summary] : cells
    }
}

extension Setting {
    /// The description of valid input.
    var expected: String {
        guard case .ascending = type else { return type.expected }
        return "\(type.expected), such as \(text(of: defaultValue))"
    }

    /// Returns a value in the form that `settings set` accepts.
    func text(of value: Value) -> String {
        switch value {
        case .bool(let truth): truth ? "yes" : "no"
        case .text(let text): text.string.withoutControls
        case .list(let values):
            values.map { $0.integer.map(String.init) ?? "–" }.joined(separator: ",")
        default: JSON.value(value).compact
        }
    }
}
