import ProgramKit
import SyncCore

enum SettingsResetCommand {
    static let command = Command(
        "settings reset",
        "KEY",
        summary: "reset a setting to its default"
    ) { arguments, context in
        let setting = try SettingReport.setting(namedBy: arguments)
        let library = try await context.library()
        try await library.replica.write {
            try $0.settings.set(setting, to: .null, in: library.own, at: context.moment())
        }
        try await SettingReport.tell(setting, of: library, context, isEdit: true)
        return .success
    }
}
