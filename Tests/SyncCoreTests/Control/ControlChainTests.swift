@testable import SyncCore
import Testing

/// What a control chain asks of the set that continues it.
@Suite struct ControlChainTests {
    private let founder: KeyPairs
    private let secret: EpochSecret
    /// A chain of one set, which founds the space.
    private let chain: ControlChain

    init() throws {
        var random = SplitMix64(seed: 1)
        founder = KeyPairs.random(using: &random)
        var plan = ControlPlan()
        secret = plan.found(.own, by: founder, using: &random)
        var chain = ControlChain(of: secret.space)
        let sealed = Self.seal(plan, after: chain, by: founder)
        try chain.apply(try ControlSet(Upload(parsing: sealed.upload), body: sealed.body))
        self.chain = chain
    }

    private static func seal(
        _ plan: ControlPlan,
        after chain: ControlChain,
        by founder: KeyPairs
    ) -> Seal.Sealed {
        let seal = Seal(
            space: chain.space,
            device: founder.publicKeys.device,
            replica: Identifier(number: 1),
            sequence: chain.count + 1,
            previous: chain.head,
            seen: .nothing
        )
        let time = UnixTime(milliseconds: Time.start)
        return plan.seal(after: chain, as: seal, by: founder, at: time)
    }

    /// A set that adds a card, with its place changed and signed again by its author.
    private func set(at place: (ControlPlace) -> ControlPlace = { $0 }) throws -> ControlSet {
        var random = SplitMix64(seed: 2)
        let keys = KeyPairs.random(using: &random)
        var plan = ControlPlan()
        plan.add(
            Card(keys, of: founder.publicKeys.user, as: .device),
            to: chain,
            vouchedBy: founder,
            with: secret,
            using: &random
        )
        let sealed = Self.seal(plan, after: chain, by: founder)
        var header = try Upload(parsing: sealed.upload).header
        let changed = place(try #require(header.control))
        header.control = changed
        // What a header says of its index it says three times.
        header.stamps = (changed.index + 1)...(changed.index + 1)
        header.seen.controls = changed.index
        let upload = Envelope.sign(
            header.encoded,
            with: founder.signing,
            of: header.device,
            for: .control
        )
        return try ControlSet(Upload(parsing: upload), body: sealed.body)
    }

    @Test(arguments: [2, 3, 1 << 40] as [UInt64])
    func `a control set with the right predecessor and a wrong index does not count`(
        index: UInt64
    ) throws {
        let shifted = try set { ControlPlace(index: index, previous: $0.previous) }
        var chain = chain
        #expect(throws: ControlError.stale) { try chain.apply(shifted) }
        #expect(chain.hashes == self.chain.hashes && chain.cards == self.chain.cards)
        try chain.apply(set())
        #expect(chain.count == 2 && chain.cards.count == 2)
    }

    @Test func `a control set with the right index and a wrong predecessor does not count`()
        throws
    {
        let other = try set { ControlPlace(index: $0.index, previous: Digest(of: [1])) }
        var chain = chain
        #expect(throws: ControlError.stale) { try chain.apply(other) }
        #expect(chain.hashes == self.chain.hashes && chain.cards == self.chain.cards)
    }
}
