/// The 128-bit secret of a single-use link.
package struct LinkSecret: Sendable, Equatable {
    /// The secret as a number, which a link shows in the text form of an ``Identifier``.
    package let number: Identifier

    package init(_ number: Identifier) { self.number = number }

    /// The secret as bytes, from which keys are derived.
    package var secret: Secret { Secret(bytes: number.bytes) }

    /// The token that a device shows to a server that made the link itself.
    package var token: [UInt8] { secret.derive("wake/1/link-token").bytes }
}
