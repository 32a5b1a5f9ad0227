import ProgramKit
import SyncCore

enum SettingsListCommand {
    static let command = Command(
        "settings list",
        summary: "list the settings, their values and meanings"
    ) { _, context in
        let library = try await context.library()
        let states = try await library.replica.read { try $0.settings.all(in: library.own) }
        let output = context.output
        let isWide = (output.columns ?? 80) >= 72
        output.result(
            .object([("settings", .array(states.map { .object($0.members) }))]),
            table: Table(
                columns: isWide ? wide : Array(wide.prefix(3)),
                rows: states.map { $0.cells(isWide: isWide) }
            )
        )
        SettingReport.tellProblems(states, output)
        return .success
    }

    private static let wide: [Table.Column] = [
        .whole("key"), .left("value"), .left("source").ifThereIsRoom, .left("description"),
    ]
}
