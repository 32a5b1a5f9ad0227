import ProgramKit
import SyncCore

enum SettingsSetCommand {
    static let command = Command(
        "settings set",
        "KEY VALUE",
        summary: "change a setting on all your devices"
    ) { arguments, context in
        let setting = try SettingReport.setting(namedBy: arguments)
        let text = arguments.required("VALUE")
        guard let value = setting.type.value(of: text) else {
            throw UserError.usage(
                "'\(text)' is not a valid value for \(setting.key)",
                hint: "use \(setting.expected)"
            )
        }
        let library = try await context.library()
        try await library.replica.write {
            try $0.settings.set(setting, to: value, in: library.own, at: context.moment())
        }
        try await SettingReport.tell(setting, of: library, context, isEdit: true)
        return .success
    }
}
