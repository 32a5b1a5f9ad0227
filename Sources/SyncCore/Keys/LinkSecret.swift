/// The 128-bit secret of a single-use link.
///
/// Two keys are derived from it: the token and the wrap key. The device that makes a link gives the
/// server only the token's hash and the space key under the wrap key. So the server can enrol a
/// device without being able to read the space key.
package struct LinkSecret: Sendable, Equatable {
    /// The secret as a number, which a link shows in the text form of an ``Identifier``.
    package let number: Identifier

    package init(_ number: Identifier) { self.number = number }

    /// The token that a device shows to the server at enrolment.
    package var token: [UInt8] { Secret(bytes: number.bytes).derive("wake/1/link-token").bytes }

    /// The key that wraps the space key for the new device.
    package var wrapKey: Secret { Secret(bytes: number.bytes).derive("wake/1/link-wrap") }

    /// Wraps the current key of a space for a new device; returns nil if no key is held.
    ///
    /// The plaintext is the epoch (8 bytes, big-endian) and the secret (32 bytes). The additional
    /// data is the space id.
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

    /// Reverses ``wrap(_:using:)``; returns nil if the link's secret, the space or the bytes do not
    /// match.
    package func unwrap(_ wrapped: [UInt8], of space: Identifier) -> SpaceKeys? {
        guard let plain = wrapKey.unwrap(wrapped, for: space.bytes), plain.count == 40 else {
            return nil
        }
        let epoch = UInt64(bigEndian: plain[..<8])
        return SpaceKeys(space: space, secrets: [epoch: Secret(bytes: Array(plain[8...]))])
    }
}
