import ProgramKit
import SyncCore

extension Library {
    /// Writes fields as one action that can be undone; returns how many values changed.
    ///
    /// Throws if this person may not write them: the server would refuse the change.
    @discardableResult
    func perform(
        _ edits: [Edit],
        as words: String,
        at now: Moment,
        checksTypes: Bool = true
    ) async throws -> Int {
        try await check(edits)
        return try await replica.write {
            try $0.actions.write(edits, as: words, in: space, at: now, checksTypes: checksTypes)
        }
    }

    /// Throws if this person may not make all of the edits.
    func check(_ edits: [Edit]) async throws {
        let forbidden = try await replica.read {
            try $0.controls.forbidden(among: edits, in: space)
        }
        if let forbidden { throw try await refusal(of: forbidden) }
    }

    /// Throws if this person only reads the space.
    func checkMayAdd() async throws {
        guard let shared = try await sharedSpace(), shared.role ?? .viewer == .viewer else {
            return
        }
        throw UserError.attention(
            "you cannot write in \(shared.label); you are its viewer",
            hint: "ask an owner or an admin for another role"
        )
    }

    private func refusal(of edit: Edit) async throws -> UserError {
        try await checkMayAdd()
        let noun = replica.collections[edit.key.collection]?.noun ?? "row"
        let space = try await sharedSpace()?.label ?? "this space"
        return UserError.attention(
            "somebody else made this \(noun), and a contributor changes only what they made",
            hint: "ask an owner or an admin of \(space) for another role"
        )
    }

    private func sharedSpace() async throws -> SharedSpace? {
        try await replica.read { try $0.sharedSpaces.all() }.first { $0.id == space }
    }
}
