import ProgramKit
import SyncCore

enum SettingsResetCommand {
    static let command = Command(
        "settings reset",
        "KEY",
        summary: "let the default of a setting apply again"
    ) { arguments, context in
        let setting = try SettingReport.setting(namedBy: arguments)
        let library = try await context.library()
        try await library.replica.write {
            try $0.settings.set(setting, to: .null, in: library.space, at: context.now())
        }
        try await SettingReport.tell(setting, of: library, context, isEdit: true)
        return .success
    }
}
