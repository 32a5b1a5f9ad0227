@testable import SyncCore
import Testing

/// Which sets count whose author was removed, demoted, or came back.
@Suite struct SharedCutTests {
    private let replica = Identifier(number: 7)

    private func answer(
        _ crew: Crew,
        _ name: String,
        sequence: UInt64,
        after controls: UInt64
    ) -> AdmissionPolicy.Answer {
        let header = Header(
            space: crew.chain.space,
            device: crew.people[name]?.ids[0] ?? .zero,
            replica: replica,
            sequence: sequence,
            previous: .zero,
            stamps: 1...1,
            cellCount: 1,
            bodyHash: .zero,
            bodyByteCount: 1,
            decodedByteCount: 1,
            seen: Seen(position: .none, chain: .zero, controls: controls)
        )
        return AdmissionPolicy(crew.chain).answer(to: header, hash: hash(sequence))
    }

    private func hash(_ sequence: UInt64) -> Digest { Digest(of: [UInt8(sequence)]) }

    private func cut(_ sequence: UInt64) -> SetReference {
        SetReference(replica: replica, sequence: sequence, hash: hash(sequence))
    }

    @Test(arguments: ["demoted", "removed", "revoked", "left"])
    func `sets count up to the cut, and none that knows of it`(what: String) throws {
        var crew = try Crew()
        let owner = crew.person("owner").devices[0]
        try crew.admit("ann", as: .editor, devices: 2)
        let before = crew.chain.count
        let actions: [String: ControlAction] = [
            "demoted": crew.setting("ann", to: .viewer, cuts: [cut(3)]),
            "removed": crew.removal("ann", cuts: [cut(3)]),
            "revoked": crew.revocation("ann", cuts: [cut(3)]), "left": .leave([cut(3)]),
        ]
        let author = what == "left" ? crew.person("ann").devices[1] : owner
        try crew.perform(actions[what].map { [$0] } ?? [], by: author)
        for sequence: UInt64 in 1...3 {
            #expect(answer(crew, "ann", sequence: sequence, after: before) == .valid(.editor))
        }
        #expect(answer(crew, "ann", sequence: 4, after: before) == .held)
        let later = answer(crew, "ann", sequence: 4, after: before + 1)
        #expect(later == (what == "demoted" ? .valid(.viewer) : .held))
        #expect(answer(crew, "ann", sequence: 4, after: before + 2) == .pending)
        #expect(answer(crew, "ann", sequence: 1, after: 1) == .void)
    }

    @Test func `another set of the cut's sequence does not count`() throws {
        var crew = try Crew()
        try crew.admit("ann", as: .editor)
        let before = crew.chain.count
        let other = SetReference(replica: replica, sequence: 3, hash: .zero)
        let removal = crew.removal("ann", cuts: [other])
        try crew.perform([removal], by: crew.person("owner").devices[0])
        #expect(answer(crew, "ann", sequence: 2, after: before) == .valid(.editor))
        #expect(answer(crew, "ann", sequence: 3, after: before) == .held)
    }

    @Test func `what was cut stays cut after its author came back`() throws {
        var crew = try Crew()
        let owner = crew.person("owner").devices[0]
        try crew.admit("ann", as: .editor)
        let before = crew.chain.count
        try crew.perform([crew.removal("ann", cuts: [cut(3)])], by: owner)
        try crew.enter("ann", by: try crew.invite(as: .member(.contributor), by: owner))
        let now = crew.chain.count
        #expect(answer(crew, "ann", sequence: 4, after: before) == .held)
        #expect(answer(crew, "ann", sequence: 4, after: before + 1) == .held)
        #expect(answer(crew, "ann", sequence: 4, after: now) == .valid(.contributor))
        #expect(answer(crew, "ann", sequence: 3, after: before) == .valid(.editor))
    }

    @Test func `a revocation also cuts what was sealed before its device left and came back`()
        throws
    {
        var crew = try Crew()
        let owner = crew.person("owner").devices[0]
        try crew.admit("ann", as: .editor, devices: 2)
        let before = crew.chain.count
        try crew.perform([crew.removal("ann", cuts: [cut(5)])], by: owner)
        let ann = crew.person("ann")
        let link = try crew.invite(as: .member(.editor), by: owner)
        try crew.enter("ann", device: 1, by: link)
        try crew.add("ann", device: 0, vouchedBy: ann.devices[1])
        #expect(answer(crew, "ann", sequence: 5, after: before) == .valid(.editor))
        try crew.perform([crew.revocation("ann", cuts: [cut(3)])], by: ann.devices[1])
        #expect(answer(crew, "ann", sequence: 3, after: before) == .valid(.editor))
        #expect(answer(crew, "ann", sequence: 4, after: before) == .held)
    }

    @Test func `a rise cuts nothing`() throws {
        var crew = try Crew()
        let owner = crew.person("owner").devices[0]
        try crew.admit("ann", as: .viewer)
        let before = crew.chain.count
        #expect(throws: ControlError.forbidden(.cut)) {
            try crew.perform([crew.setting("ann", to: .editor, cuts: [cut(3)])], by: owner)
        }
        try crew.perform([crew.setting("ann", to: .editor)], by: owner)
        #expect(answer(crew, "ann", sequence: 9, after: before) == .valid(.viewer))
        #expect(answer(crew, "ann", sequence: 9, after: before + 1) == .valid(.editor))
    }

    @Test func `a server takes no cut below its log, but a retroactive one`() throws {
        var crew = try Crew()
        let owner = crew.person("owner").devices[0]
        try crew.admit("ann", as: .editor)
        let id = crew.person("ann").ids[0]
        let server = ControlChain.Circumstances(heads: [id: [replica: 4]])
        let below: [ControlAction] = [
            crew.removal("ann", cuts: [cut(3)]), crew.removal("ann"),
            crew.setting("ann", to: .viewer, cuts: [cut(3)]),
            crew.revocation("ann", cuts: [cut(3)]),
        ]
        for action in below {
            #expect(throws: ControlError.forbidden(.cut)) {
                try crew.perform([action], by: owner, server)
            }
        }
        try crew.perform([crew.removal("ann", isRetroactive: true)], by: owner, server)
        #expect(crew.chain.roles[crew.user("ann")] == nil)
    }

    @Test func `in an own space there is nothing to give a role to`() throws {
        var random = SplitMix64(seed: 3)
        let keys = KeyPairs.random(using: &random)
        var plan = ControlPlan()
        let secret = plan.found(.own, by: keys, using: &random)
        var chain = ControlChain(of: secret.space)
        func seal(_ plan: ControlPlan, _ chain: ControlChain) throws -> ControlSet {
            let seal = Seal(
                space: chain.space,
                device: keys.publicKeys.device,
                replica: replica,
                sequence: chain.count + 1,
                previous: chain.head,
                seen: .nothing
            )
            let time = UnixTime(milliseconds: Time.start)
            let sealed = plan.seal(after: chain, as: seal, by: keys, at: time)
            return try ControlSet(Upload(parsing: sealed.upload), body: sealed.body)
        }
        try chain.apply(seal(plan, chain))
        let user = keys.publicKeys.user
        #expect(chain.roles == [user: .owner])
        let setting = ControlAction.RoleSetting(
            user: user,
            role: .admin,
            cuts: [],
            isRetroactive: false
        )
        let removal = ControlAction.Removal(user: user, cuts: [], isRetroactive: false)
        for action: ControlAction in [.setRole(setting), .remove(removal), .leave([])] {
            let set = try seal(ControlPlan([action]), chain)
            #expect(throws: ControlError.forbidden(.role)) { try chain.apply(set) }
        }
        var invitation = ControlPlan()
        invitation.invite(
            KeyPairs.random(using: &random).publicKeys,
            as: .member(.editor),
            until: UnixTime(milliseconds: Time.start),
            with: secret,
            using: &random
        )
        let set = try seal(invitation, chain)
        #expect(throws: ControlError.forbidden(.invitation)) { try chain.apply(set) }
    }
}
