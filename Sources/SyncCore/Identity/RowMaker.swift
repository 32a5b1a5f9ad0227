/// Who made a row of a shared space: the value of the row's cell `made`.
///
/// The row's id follows from it. So a row has one maker, whom nobody can change.
package struct RowMaker: Hashable, Sendable {
    /// The person.
    package let user: Identifier
    /// 1 to 64 bytes that tell the person's rows apart.
    package let salt: [UInt8]

    package init(user: Identifier, salt: [UInt8]) {
        precondition(Self.saltByteCount ~= salt.count, "a salt has 1 to 64 bytes")
        (self.user, self.salt) = (user, salt)
    }

    private static let saltByteCount = 1...64

    /// Returns the id of the row in a space.
    package func row(in space: Identifier) -> Identifier { preimage(in: space).identifier }

    /// Returns bytes to derive more from that belongs to the row; the id is the beginning of their hash.
    func preimage(in space: Identifier) -> Preimage {
        var preimage = Preimage("wake/1/row", count: 3)
        preimage.add(space)
        preimage.add(user)
        preimage.add(salt)
        return preimage
    }
}

extension RowMaker {
    /// Decodes ``value``, or returns nil for anything else.
    package init?(_ value: Value?) {
        guard let parts = value?.list, parts.count == 2,
            let user = parts[0].bytes.flatMap({ Identifier(bytes: $0) }),
            let salt = parts[1].bytes, Self.saltByteCount ~= salt.count
        else { return nil }
        self.init(user: user, salt: salt)
    }

    /// The list `[user, salt]`.
    package var value: Value { .list([.bytes(user.bytes), .bytes(salt)]) }
}
