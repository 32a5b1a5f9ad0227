@testable import SyncCore

/// Shared spaces, as the commands of the command line make and share them.
extension TestDevice {
    /// Founds a shared space, which a sync brings to the server.
    func found() async throws -> Identifier {
        try await replica.write { try $0.sharedSpaces.found(named: "club", at: moment) }
    }

    /// A link into a shared space, which the server knows.
    func invite(
        to space: Identifier,
        as role: Role = .editor,
        uses: UInt64 = 1
    ) async throws -> Link {
        let link = try await unsentInvitation(to: space, as: role, uses: uses)
        try await sync()
        return try await Enroller.anchored(link, for: replica)
    }

    /// A link into a shared space, which no server knows of yet.
    func unsentInvitation(
        to space: Identifier,
        as role: Role,
        uses: UInt64
    ) async throws -> Link {
        var generator = SystemRandomNumberGenerator()
        return try await Enroller.link(
            for: replica,
            to: space,
            as: role,
            uses: uses,
            validSeconds: 600,
            at: moment,
            using: &generator
        )
    }

    func user() async throws -> Identifier {
        try await replica.read { try $0.identity.current() }.user
    }

    func id() async throws -> Identifier {
        try await replica.read { try $0.identity.current() }.device
    }

    /// The control chain of a space, as this device merged it.
    func chain(of space: Identifier) async throws -> ControlChain {
        try await replica.read { try $0.controls.chain(of: space) }
    }
}

extension TestServer {
    /// A server with a club: the first device owns it, and the second one has entered it.
    static func withClub(
        letting role: Role
    ) async throws -> (server: TestServer, owner: TestDevice, guest: TestDevice, club: Identifier) {
        let server = try TestServer(clock: TestClock())
        let (owner, guest) = (try TestDevice("boat", server), try TestDevice("phone", server))
        try await owner.join(try await server.invite())
        let club = try await owner.found()
        try await owner.sync()
        try await guest.join(try await owner.invite(to: club, as: role))
        for device in [guest, owner, guest] { try await device.sync() }
        return (server, owner, guest, club)
    }
}
