import SyncCore

/// Devices whose keys the targets know; their public keys are those of Tests/Vectors.
enum Authors {
    private static let known: [KeyPairs] = (1...9)
        .map { (number: UInt8) in
            KeyPairs(
                signing: SigningKey(seed: Secret(bytes: [UInt8](repeating: number, count: 32))),
                agreement: AgreementKey(
                    secret: Secret(bytes: [UInt8](repeating: number ^ 0x80, count: 32))
                )
            )
        }

    static let first = known[0]
    static let second = known[1]

    /// The device with a number from 1 on; any number is some device's.
    static func keys(of number: UInt64) -> KeyPairs {
        known[Int((max(number, 1) - 1) % UInt64(known.count))]
    }
}
