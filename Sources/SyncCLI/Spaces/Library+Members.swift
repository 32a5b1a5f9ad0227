import ProgramKit
import SyncCore

extension Library {
    /// Returns the shared space that the option `--space` names.
    ///
    /// - Parameter purpose: what the space is asked for, such as "to invite into".
    func sharedSpace(_ purpose: String) throws -> Identifier {
        guard space != own else {
            throw UserError.usage(
                "name the space \(purpose) with '--space NAME'",
                hint: "see 'wake spaces list'"
            )
        }
        return space
    }

    /// Returns the member of a space whose id has a prefix.
    func member(_ prefix: IDPrefix, of space: Identifier) async throws -> SpaceMember {
        try prefix.pick(
            from: try await replica.read { try $0.members.all(in: space) },
            what: "member",
            plural: "members",
            list: "wake members list",
            id: \.id,
            name: \.names
        )
    }

    /// Throws unless this person may govern members of all these roles.
    ///
    /// - Parameter deed: what the person wants, such as "invites here".
    func checkRight(to deed: String, over roles: [Role], in space: Identifier) async throws {
        let own = try await replica.read { try $0.sharedSpaces.all() }.first { $0.id == space }?
            .role
        guard let own, roles.allSatisfy(own.mayGovern) else {
            let isForOwners = roles.contains { $0 >= .admin }
            throw UserError.attention(
                "only \(isForOwners ? "an owner" : "an owner or an admin") \(deed); you are "
                    + (own.map { "its \($0.rawValue)" } ?? "not in the space any more"),
                hint: "ask one of them"
            )
        }
    }

    /// Runs a change of members that the role of this person allows; the rules then forbid it only where
    /// no owner would be left.
    func keepingAnOwner(
        _ change: @escaping @Sendable (ReplicaParts) throws -> Void
    ) async throws {
        do {
            try await replica.write { try change($0) }
        } catch ControlError.forbidden(.role) {
            throw UserError.attention(
                "the space would be left without an owner",
                hint: "first make somebody else an owner: 'wake members role ID owner'"
            )
        }
    }
}
