import SyncCore
import Testing

@testable import SyncServer

/// Roles that change: the server's order decides, not what a set says of its time.
@Suite struct RoleCaseTests {
    /// A space, and a device whose person's role in it a test changes.
    private struct Crew {
        let kind: StoreKind
        let bed: StoreBed
        var member = Author(device: 2)

        init(_ kind: StoreKind) async throws {
            self.kind = kind
            bed = try await StoreBed(kind, with: Author(device: 1))
        }

        func setRole(_ role: Role) throws {
            try kind.setRole(role, of: member.user, in: member.space, bed.folder)
        }

        mutating func push(at time: UInt64? = nil) async throws -> (PushedSet, PushResult) {
            if let time { member.time = time }
            let set = try member.push()
            return (set, try await bed.append([set], by: member)[0])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A2 a role that goes down, up and down judges each set when it comes`(
        kind: StoreKind
    ) async throws {
        var crew = try await Crew(kind)
        let steps: [(Role, Verdict)] = [
            (.editor, .accepted), (.viewer, .refused), (.editor, .accepted), (.viewer, .refused),
            (.admin, .accepted),
        ]
        var told: [(PushedSet, PushResult)] = []
        for (role, verdict) in steps {
            try crew.setRole(role)
            told.append(try await crew.push())
            #expect(told.last?.1.verdict == verdict)
        }
        // What was told stays, whatever the role is by then.
        for role in [Role.viewer, .editor] {
            try crew.setRole(role)
            let again = try await crew.bed.append(told.map(\.0), by: crew.member)
            #expect(again == told.map(\.1))
        }
        let before = crew.member.person.controls
        let entries = try await crew.bed.page(after: before, for: crew.member).logEntries
        #expect(entries.map { $0.body != nil } == steps.map { $0.1 == .accepted })
    }

    @Test(arguments: StoreKind.allCases)
    func `A3 a set that is dated back before its author lost the role is refused`(
        kind: StoreKind
    ) async throws {
        var crew = try await Crew(kind)
        try crew.setRole(.editor)
        let time = UInt64(crew.bed.now.milliseconds) << 16
        #expect(try await crew.push(at: time).1.verdict == .accepted)
        try crew.setRole(.viewer)
        for milliseconds in [0, 86_400_000, crew.bed.now.milliseconds - 1] {
            let early = UInt64(crew.bed.now.milliseconds - milliseconds) << 16
            let result = try await crew.push(at: early).1
            #expect(result.verdict == .refused && result.reason == "role")
        }
    }
}
