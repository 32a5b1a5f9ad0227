@testable import SyncCore
import Testing

@testable import SyncServer

/// Roles that change: what counts is the role at the control sets that a set names.
@Suite struct RoleCaseTests {
    /// A shared space, and a member whose role in it a test changes.
    private struct Crew {
        let bed: StoreBed
        var club: Club
        var member = Author(user: 12, device: 12)

        init(_ kind: StoreKind) async throws {
            let owner = Author(device: 1)
            bed = try await StoreBed(kind, with: owner)
            try await member.person.found(in: bed.store, at: bed.now)
            club = try await Club(foundedBy: owner, in: bed.store, at: bed.now)
            try await club.admit(&member, as: .editor)
        }

        /// Changes the role after the member's last set, and tells the member of it.
        mutating func setRole(_ role: Role, after last: PushedSet?) async throws {
            guard club.chain.members[member.user]?.role != role else { return }
            try await club.set(role, of: member, after: last)
            member.place.controls = club.chain.count
        }

        /// Pushes a set with a large body, which does not compress well.
        mutating func pushLarge() async throws -> (PushedSet, PushResult) {
            var random = SplitMix64(seed: member.time)
            let values = (0..<24).map { number in
                let text = (0..<1000).map { _ in String(random.next(), radix: 16) }.joined()
                let key = Key("track", .id(Identifier(number: 9)), Text("note\(number)"))
                return (key, Value.text(Text(String(text.prefix(16_000)))))
            }
            let set = try member.push(Dictionary(uniqueKeysWithValues: values))
            return (set, try await bed.append([set], by: member)[0])
        }

        mutating func push(at time: UInt64? = nil) async throws -> (PushedSet, PushResult) {
            if let time { member.time = time }
            let set = try member.push()
            return (set, try await bed.append([set], by: member)[0])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A2 a role that goes down, up and down judges each set by what it names`(
        kind: StoreKind
    ) async throws {
        var crew = try await Crew(kind)
        let steps: [(Role, Verdict)] = [
            (.editor, .accepted), (.viewer, .refused), (.editor, .accepted), (.viewer, .refused),
            (.admin, .accepted),
        ]
        var told: [(PushedSet, PushResult)] = []
        for (role, verdict) in steps {
            try await crew.setRole(role, after: told.last?.0)
            told.append(try await crew.push())
            #expect(told.last?.1.verdict == verdict)
        }
        // What was told stays, whatever the role is by then.
        for role in [Role.viewer, .editor] {
            try await crew.setRole(role, after: told.last?.0)
            let again = try await crew.bed.append(told.map(\.0), by: crew.member)
            #expect(again == told.map(\.1))
        }
        let entries = try await crew.bed.page(for: crew.member).logEntries.filter { entry in
            guard case .set(let upload, _) = entry.content else { return false }
            return try Upload(parsing: upload).header.control == nil
        }
        #expect(entries.map { $0.body != nil } == steps.map { $0.1 == .accepted })
    }

    @Test(arguments: StoreKind.allCases)
    func `A3 a set that is dated back before its author lost the role does not count`(
        kind: StoreKind
    ) async throws {
        var crew = try await Crew(kind)
        let time = UInt64(crew.bed.now.milliseconds) << 16
        let (last, result) = try await crew.push(at: time)
        #expect(result.verdict == .accepted)
        let before = crew.member.place.controls
        try await crew.setRole(.viewer, after: last)
        // The set may name the control sets of today, or those before the demotion.
        for (controls, verdict) in [(crew.member.place.controls, Verdict.refused), (before, .held)]
        {
            crew.member.place.controls = controls
            for milliseconds in [0, 86_400_000, crew.bed.now.milliseconds - 1] {
                let early = UInt64(crew.bed.now.milliseconds - milliseconds) << 16
                let result = try await crew.push(at: early).1
                #expect(result.verdict == verdict)
                #expect(result.reason == (verdict == .held ? "cut" : "role"))
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A4 a demotion below what the log has of a member is stale`(kind: StoreKind) async throws {
        var crew = try await Crew(kind)
        let first = try await crew.push().0
        _ = try await crew.push()
        for role in [Role.viewer, nil] {
            let error = await #expect(throws: Club.Declined.self) {
                try await crew.club.set(role, of: crew.member, after: first)
            }
            #expect(error?.result.reason == "stale")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `A17 what a removed member made offline is held, up to a limit, and they read nothing`(
        kind: StoreKind
    ) async throws {
        var crew = try await Crew(kind)
        let last = try await crew.push().0
        try await crew.club.set(nil, of: crew.member, after: last)
        let result = try await crew.push().1
        #expect(result == .judged(position: 0, .held, reason: "cut"))
        let again = try await crew.bed.append([last], by: crew.member)
        #expect(again == [.judged(position: 0, .accepted, reason: "")])
        await #expect(throws: StoreError.notFound) {
            try await crew.bed.page(for: crew.member)
        }
        let owner = crew.club.owner
        let held = try await crew.bed.store.held(
            in: owner.space,
            for: owner.device,
            byteLimit: .max
        )
        #expect(held.count == 1)
        // Nor do they bring what others made.
        let refill = [last.refilled(as: .accepted)]
        let (store, member, now) = (crew.bed.store, crew.member, crew.bed.now)
        await #expect(throws: StoreError.notFound) {
            try await store.refill(refill, to: member.space, by: member.row, at: now)
        }
        // A control set of theirs does not count either.
        let link = ControlPlan([.leave([])])
        await #expect(throws: Club.Declined.self) {
            try await crew.club.perform(link, by: crew.member)
        }
        var byteCount = 0
        for _ in 0..<200 {
            let (set, result) = try await crew.pushLarge()
            byteCount += set.body.count + set.upload.bytes.count
            guard result == .judged(position: 0, .held, reason: "cut") else {
                #expect(result == .failed(.rateLimited, 0))
                break
            }
        }
        #expect((16 << 20..<17 << 20).contains(byteCount))
    }
}
