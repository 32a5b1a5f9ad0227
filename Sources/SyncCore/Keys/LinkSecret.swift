/// The secret of a single-use link: 128 bits that only the two people who share it know.
///
/// The server sees the token that is derived from it and keeps the space key wrapped under the
/// other key that is derived from it, so it can let a device in without being able to read.
package struct LinkSecret: Sendable, Equatable {
    /// The secret's number, shown as an ``Identifier`` is.
    package let number: Identifier

    package init(_ number: Identifier) {
        self.number = number
    }

    /// What is shown to the server at enrolment.
    package var token: [UInt8] {
        Secret(bytes: number.bytes).derive("wake/1/link-token").bytes
    }

    /// What wraps the space key on its way to the new device.
    package var wrapKey: Secret {
        Secret(bytes: number.bytes).derive("wake/1/link-wrap")
    }
}

extension LinkSecret {
    /// The key of the present epoch on its way to a new device: epoch and secret, wrapped for the
    /// space; nil where no key is held.
    package func wrap(
        _ keys: SpaceKeys,
        using generator: inout some RandomNumberGenerator
    ) -> [UInt8]? {
        guard let epoch = keys.epoch, let secret = keys.secrets[epoch] else { return nil }
        return wrapKey.wrap(
            epoch.bigEndianBytes + secret.bytes,
            for: keys.space.bytes,
            using: &generator
        )
    }

    /// The inverse of ``wrap(_:using:)``; nil when the link, the space or the bytes are others.
    package func unwrap(_ wrapped: [UInt8], of space: Identifier) -> SpaceKeys? {
        guard let plain = wrapKey.unwrap(wrapped, for: space.bytes), plain.count == 40 else {
            return nil
        }
        let epoch = UInt64(bigEndian: plain[..<8])
        return SpaceKeys(space: space, secrets: [epoch: Secret(bytes: Array(plain[8...]))])
    }
}
