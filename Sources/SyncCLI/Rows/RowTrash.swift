import ProgramKit
import SyncCore

/// Moves rows to the trash and restores them.
enum RowTrash {
    /// Restores a row and reports the effects on related rows.
    static func restore(
        _ row: FoundRow,
        in library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let consequences = try await library.consequences(of: row)
        var after = row
        if row.state.isDeleted {
            after = try await library.write(
                FieldSchema.deleted.name,
                .null,
                to: row,
                as: "restoring \(row.label)",
                at: context.moment()
            ).row
        }
        let lines = try await consequences()
        let json = try await library.json(of: after)
        context.output.result(json) {
            (row.state.isDeleted
                ? "restored \(after.label)\n"
                : "\(after.label) is not in the trash\n") + lines.map { "  \($0)\n" }.joined()
        }
        return .success
    }

    /// Moves a row to the trash and reports the effects on related rows.
    static func delete(
        _ row: FoundRow,
        in library: Library,
        _ context: Context
    ) async throws -> ExitCode {
        let consequences = try await library.consequences(of: row)
        let (after, isChanged) = try await library.write(
            FieldSchema.deleted.name,
            .bool(true),
            to: row,
            as: "deletion of \(row.label)",
            at: context.moment()
        )
        let lines = isChanged ? try await consequences() : []
        let json = try await library.json(of: after)
        context.output.result(json) {
            isChanged
                ? "moved \(after.label) to the trash; 'wake restore \(after.name.id.short)' "
                    + "restores it\n" + lines.map { "  \($0)\n" }.joined()
                : "\(after.label) is already in the trash\n"
        }
        return .success
    }
}
