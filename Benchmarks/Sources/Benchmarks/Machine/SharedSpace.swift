internal import SyncCore

/// The own space that all devices of a ``Relay`` are in.
///
/// The founder, which is not one of these devices, vouched for each of them. Made once, so that the
/// same seed always gives the same device.
struct SharedSpace: Sendable {
    static let made = Task { try await SharedSpace() }

    /// The seeds of the devices that have a card.
    private static let seeds: [UInt64] = [1, 2, 3, 4, 9]

    /// The log with nothing but the control sets.
    private(set) var log = Relay()
    private let secret: EpochSecret
    private var entrances: [UInt64: Entrance] = [:]

    private init() async throws {
        let founder = try await Device(unjoined: 0, now: Device.madeClock())
        let keys = try await founder.replica.read { try $0.identity.current() }.keys
        let space = founder.space
        let secrets = try await founder.replica.read { try $0.spaces.keys(of: space) }.secrets
        guard let first = secrets[1] else { throw DeviceError.different("the key epochs") }
        secret = EpochSecret(space: space, epoch: 1, secret: first)
        var chain = try await founder.replica.read { try $0.controls.chain(of: space) }
        var items = try await founder.pushItems()
        for seed in Self.seeds {
            let entrance = try await founder.replica.write { [chain, secret] in
                let door = Identifier(number: UInt128(seed))
                let fresh = try $0.enrolment.prepareEntrance(
                    through: door,
                    by: nil,
                    withFreshKeys: true
                )
                let now = founder.now().wall
                return try $0.enrolment.seal(fresh, after: chain, by: keys, secret, at: now)
            }
            guard let item = entrance.item else { throw DeviceError.different("the entrances") }
            try chain.apply(ControlSet(Upload(parsing: item.upload), body: item.body ?? []))
            items.append(item.encoded)
            entrances[seed] = entrance
        }
        try log.append(items)
    }

    /// Makes a replica the device of a seed.
    func take(
        _ seed: UInt64,
        in replica: Replica,
        using generator: inout some RandomNumberGenerator
    ) async throws {
        guard let entrance = entrances[seed] else { throw DeviceError.noCard(seed) }
        let keys = DeviceKeys(
            device: entrance.keys.publicKeys.device,
            secrets: [1: .random(using: &generator)]
        )
        let enrolment = Enrolment(
            authority: "relay:1",
            trust: .plain,
            deviceKeys: keys,
            controls: log.pages.flatMap(\.entries)
        )
        try await replica.write { [secret] in
            try $0.enrolment.enter(
                secret.space,
                by: entrance,
                enrolment,
                secret: secret,
                at: Moment(wall: Device.start, uptimeMilliseconds: 0, boot: Identifier(number: 1))
            )
        }
    }
}
