/// What a device signs about the newest set of a replica.
///
/// The hash chains make one signature cover every set before it, and every control set that the
/// device had merged.
package struct SignedHead: Hashable, Sendable {
    package let name: SetName
    package let device: Identifier
    /// The hash of the newest control set that the device had merged when it sealed the set.
    package let control: Digest

    package init(name: SetName, device: Identifier, control: Digest) {
        (self.name, self.device, self.control) = (name, device, control)
    }

    /// Signs the head; the same head always gets the same signature.
    package func sign(with key: SigningKey) -> Signature { key.sign(preimage) }

    /// Whether the device with this signing key signed the head.
    package func isSigned(by key: PublicKey, _ signature: Signature) -> Bool {
        key.verifies(signature, of: preimage)
    }

    private var preimage: [UInt8] {
        var preimage = Preimage("wake/1/head", count: 6)
        preimage.add(name.space)
        preimage.add(device)
        preimage.add(name.replica)
        preimage.add(name.sequence)
        preimage.add(name.hash)
        preimage.add(control)
        return preimage.bytes
    }
}
