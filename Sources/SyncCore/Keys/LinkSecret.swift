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
