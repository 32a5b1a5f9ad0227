@testable import SyncCore

/// The own space that every device of a test is in, with a control chain that has all their cards.
///
/// The log of a test has none of these control sets: what a test says of positions and of what is
/// sent is about change sets.
struct TestSpace {
    static let shared = TestSpace()

    /// The numbers that a device can have.
    static let numbers: ClosedRange<UInt64> = 1...12

    let keys: SpaceKeys
    let chain: ControlChain
    /// The chain as a server sends it.
    let entries: [[UInt8]]

    private init() {
        var random = SplitMix64(seed: 0x5ace)
        let founder = KeyPairs.random(using: &random)
        var plan = ControlPlan()
        let secret = plan.found(.own, by: founder, using: &random)
        var builder = Builder(chain: ControlChain(of: secret.space), founder: founder)
        builder.add(plan)
        for number in Self.numbers {
            var plan = ControlPlan()
            plan.add(
                Card(Self.keys(of: number), of: founder.publicKeys.user, as: .device),
                to: builder.chain,
                vouchedBy: founder,
                with: secret,
                using: &random
            )
            builder.add(plan)
        }
        (chain, entries) = (builder.chain, builder.entries)
        keys = SpaceKeys(space: secret.space, secrets: [1: secret.secret])
    }

    /// The secret of the only key epoch.
    var secret: EpochSecret {
        EpochSecret(space: keys.space, epoch: 1, secret: keys.secrets[1] ?? Secret(bytes: []))
    }

    /// How a device enters that has its card already.
    static func entrance(of number: UInt64, as replica: Identifier) -> Entrance {
        Entrance(door: .zero, link: nil, keys: keys(of: number), replica: replica, set: nil)
    }

    /// The keys of a device.
    static func keys(of number: UInt64) -> KeyPairs {
        var random = SplitMix64(seed: number ^ 0xde71ce)
        return KeyPairs.random(using: &random)
    }

    /// Lets a chain grow by sets of its founder.
    private struct Builder {
        var chain: ControlChain
        let founder: KeyPairs
        var entries: [[UInt8]] = []

        mutating func add(_ plan: ControlPlan) {
            let seal = Seal(
                space: chain.space,
                device: founder.publicKeys.device,
                replica: Identifier(number: 0xf0),
                sequence: chain.count + 1,
                previous: chain.head,
                seen: .nothing
            )
            let sealed = plan.seal(
                after: chain,
                as: seal,
                by: founder,
                at: UnixTime(milliseconds: Time.start)
            )
            do {
                let set = try ControlSet(try Upload(parsing: sealed.upload), body: sealed.body)
                try chain.apply(set)
            } catch {
                preconditionFailure("the founder's sets count: \(error)")
            }
            entries.append(
                LogEntry(
                    position: chain.count,
                    body: sealed.body,
                    receipt: [UInt8](repeating: 0, count: 32),
                    content: .set(upload: sealed.upload, .accepted)
                ).encoded
            )
        }
    }
}
