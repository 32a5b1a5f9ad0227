@testable import SyncCore
import Testing

/// How people come into a space of several people, and come back.
@Suite struct SharedJoinTests {
    private static func owner(of crew: inout Crew) -> KeyPairs { crew.person("owner").devices[0] }

    @Test func `a link for several lets in as many, with its role`() throws {
        var crew = try Crew()
        let link = try crew.invite(as: .member(.contributor), uses: 2, by: Self.owner(of: &crew))
        try crew.enter("first", by: link)
        try crew.enter("second", device: 2, by: link)
        #expect(throws: ControlError.forbidden(.invitation)) { try crew.enter("third", by: link) }
        #expect(crew.chain.roles[crew.user("first")] == .contributor)
        #expect(crew.chain.roles[crew.user("second")] == .contributor)
    }

    @Test(arguments: ["demoted", "removed", "revoked"])
    func `whoever loses a right may have a link for several, so that ends`(what: String) throws {
        var crew = try Crew()
        let owner = Self.owner(of: &crew)
        try crew.admit("member", as: .editor, devices: 2)
        let single = try crew.invite(as: .member(.viewer), by: owner)
        let many = try crew.invite(as: .member(.viewer), uses: 9, by: owner)
        let action: [String: ControlAction] = [
            "demoted": crew.setting("member", to: .viewer),
            "removed": crew.removal("member"), "revoked": crew.revocation("member"),
        ]
        try crew.perform(action[what].map { [$0] } ?? [], by: owner)
        #expect(throws: ControlError.forbidden(.invitation)) { try crew.enter("guest", by: many) }
        try crew.enter("guest", by: single)
    }

    @Test func `nobody enters as another user`() throws {
        var crew = try Crew()
        let link = try crew.invite(as: .member(.editor), uses: 9, by: Self.owner(of: &crew))
        let (mallory, ann) = (crew.person("mallory"), crew.person("ann", withDevices: 2))
        let vouch = Vouch(
            keys: mallory.devices[0].publicKeys,
            kind: .device,
            signature: mallory.devices[0].vouch(for: mallory.card())
        )
        let first = ann.devices[0].publicKeys.signing
        let wrong = [
            UserProof(first: first), UserProof(first: first, vouches: [vouch]),
            UserProof(first: first, vouches: ann.proofs[1].vouches + [vouch]),
            UserProof(first: mallory.devices[0].publicKeys.signing, vouches: []),
        ]
        for proof in wrong {
            #expect(throws: ControlError.forbidden(.proof)) {
                try crew.enter("mallory", by: link, proof: proof)
            }
        }
        #expect(throws: ControlError.forbidden(.proof)) {
            try crew.enter("ann", device: 1, by: link, proof: UserProof(first: nil))
        }
        try crew.enter("ann", device: 1, by: link)
        #expect(throws: ControlError.forbidden(.invitation), "a member") {
            try crew.enter("ann", by: link)
        }
    }

    @Test func `a member adds devices of nobody else`() throws {
        var crew = try Crew()
        let owner = Self.owner(of: &crew)
        try crew.admit("ann", as: .editor)
        for name in ["ann", "stranger"] {
            #expect(throws: ControlError.forbidden(.author)) {
                try crew.add(name, device: 1, vouchedBy: owner)
            }
        }
        try crew.add("ann", device: 1)
    }

    @Test func `a revoked device vouches for nobody but those who were here before`() throws {
        var crew = try Crew()
        let owner = Self.owner(of: &crew)
        try crew.admit("ann", as: .editor, devices: 2)
        try crew.perform([crew.revocation("ann", device: 0)], by: owner)
        try crew.perform([crew.removal("ann")], by: owner)
        let link = try crew.invite(as: .member(.editor), uses: 9, by: owner)
        // Whoever has the stolen first device makes a third one, past the second.
        var thief = crew.person("ann")
        var random = SplitMix64(seed: 99)
        let keys = KeyPairs.random(using: &random)
        let card = Card(keys, of: thief.user, as: .device)
        let vouch = Vouch(
            keys: keys.publicKeys,
            kind: .device,
            signature: thief.devices[0].vouch(for: card)
        )
        thief.devices = [keys]
        var plan = ControlPlan()
        let secret = EpochSecret(space: crew.chain.space, epoch: 1, secret: .random(using: &random))
        plan.join(
            crew.chain,
            as: card,
            by: link,
            proof: UserProof(first: crew.person("ann").proofs[1].first, vouches: [vouch]),
            with: secret,
            using: &random
        )
        #expect(throws: ControlError.forbidden(.proof)) { try crew.perform(plan, by: keys) }
        #expect(throws: ControlError.forbidden(.card)) { try crew.enter("ann", by: link) }
        // The second device was here before the theft, and lets a third one in.
        try crew.enter("ann", device: 2, by: link)
        #expect(crew.chain.roles[crew.user("ann")] == .editor)
    }

    @Test func `the signing key of a revoked device makes no other device`() throws {
        var crew = try Crew()
        let owner = Self.owner(of: &crew)
        try crew.admit("ann", as: .editor)
        let stolen = crew.person("ann").devices[0]
        try crew.perform([crew.revocation("ann")], by: owner)
        try crew.perform([crew.removal("ann")], by: owner)
        let link = try crew.invite(as: .member(.editor), uses: 2, by: owner)
        var random = SplitMix64(seed: 9)
        let keys = KeyPairs(
            signing: stolen.signing,
            agreement: KeyPairs.random(using: &random).agreement
        )
        #expect(keys.publicKeys.device != stolen.publicKeys.device)
        var plan = ControlPlan()
        plan.join(
            crew.chain,
            as: Card(keys, of: stolen.publicKeys.user, as: .device),
            by: link,
            proof: UserProof(first: nil),
            with: EpochSecret(space: crew.chain.space, epoch: 1, secret: .random(using: &random)),
            using: &random
        )
        #expect(throws: ControlError.forbidden(.card)) { try crew.perform(plan, by: keys) }
    }

    @Test func `a device that left with its user comes back by another one alone`() throws {
        var crew = try Crew()
        let owner = Self.owner(of: &crew)
        try crew.admit("ann", as: .editor, devices: 2)
        let ann = crew.person("ann")
        try crew.perform([crew.removal("ann")], by: owner)
        try crew.enter("ann", by: try crew.invite(as: .member(.viewer), by: owner))
        #expect(throws: ControlError.self) {
            try crew.add("ann", device: 1, by: ann.devices[1])
        }
        // A new device may bring its card itself.
        try crew.add(
            "ann",
            device: 2,
            vouchedBy: ann.devices[0],
            by: crew.person("ann", withDevices: 3).devices[2]
        )
        try crew.add("ann", device: 1)
        #expect(crew.chain.liveCards(of: ann.user).count == 3)
    }

    @Test func `a user has at most 64 cards at a time`() throws {
        var crew = try Crew()
        try crew.admit("ann", as: .editor, devices: ControlChain.cardLimit)
        #expect(throws: ControlError.forbidden(.card)) {
            try crew.add("ann", device: ControlChain.cardLimit)
        }
        let last = crew.person("ann").devices[ControlChain.cardLimit - 1]
        try crew.perform([crew.revocation("ann", device: 1)], by: last)
        try crew.add("ann", device: ControlChain.cardLimit, vouchedBy: last)
    }

    @Test func `who was removed comes back by a new link alone, with the card of before`() throws {
        var crew = try Crew()
        let owner = Self.owner(of: &crew)
        try crew.admit("ann", as: .editor, devices: 2)
        let ann = crew.person("ann")
        try crew.perform([crew.removal("ann")], by: owner)
        #expect(throws: ControlError.self) { try crew.add("ann", device: 2) }
        let link = try crew.invite(as: .member(.viewer), by: owner)
        try crew.enter("ann", by: link)
        let card = try #require(crew.chain.cards[ann.ids[0]])
        #expect(card.isLive && card.earlier.count == 1)
        #expect(crew.chain.cards[ann.ids[1]]?.isLive == false)
        #expect(crew.chain.role(ofDevice: ann.ids[0]) == .viewer)
        try crew.add("ann", device: 1)
        #expect(crew.chain.liveCards(of: ann.user).count == 2)
    }

    @Test func `a space may be founded by a later device of a user, with the line of vouches`()
        throws
    {
        let crew = try Crew(device: 2)
        #expect(crew.chain.roles == [crew.user("owner"): .owner])
        #expect(crew.chain.kind == .shared && crew.chain.user == crew.user("owner"))
        let owner = try #require(crew.people["owner"])
        #expect(crew.chain.members[owner.user]?.founder == owner.devices[0].publicKeys.signing)
    }

    @Test func `a line of vouches has an end`() throws {
        var crew = try Crew()
        let link = try crew.invite(as: .member(.viewer), uses: 2, by: Self.owner(of: &crew))
        #expect(throws: ControlError.forbidden(.proof)) {
            try crew.enter("ann", device: UserProof.vouchLimit + 1, by: link)
        }
        try crew.enter("ann", device: UserProof.vouchLimit, by: link)
    }
}
