import ProgramKit
import SyncCore

enum SettingsGetCommand {
    static let command = Command(
        "settings get",
        "KEY",
        summary: "print the value of a setting"
    ) { arguments, context in
        let setting = try SettingReport.setting(namedBy: arguments)
        let library = try await context.library()
        try await SettingReport.tell(setting, of: library, context)
        return .success
    }
}
