/// The body of a control set: its actions, and when the author's clock said that it was made.
package struct ControlBody: Hashable, Sendable {
    /// The author's time, for people only.
    package let time: UnixTime
    /// At least one.
    package let actions: [ControlAction]

    package init(time: UnixTime, actions: [ControlAction]) {
        (self.time, self.actions) = (time, actions)
    }

    package var encoded: [UInt8] {
        var encoder = CBOREncoder()
        encoder.array(2)
        encoder.unsigned(UInt64(max(time.milliseconds, 0)))
        encoder.array(actions) { $1.encode(into: &$0) }
        return encoder.bytes
    }

    /// Decodes exactly one body.
    package init(decoding bytes: [UInt8]) throws(ControlError) {
        do {
            var decoder = CBORDecoder(bytes)
            try decoder.array(count: 2)
            time = UnixTime(milliseconds: Int64(try decoder.unsigned()))
            var actions: [ControlAction] = []
            for _ in 0..<(try decoder.nonEmptyArray()) {
                actions.append(try ControlAction(from: &decoder))
            }
            self.actions = actions
            try decoder.finish()
        } catch let error as ControlError {
            throw error
        } catch let error as CBORError {
            throw .malformed(error)
        } catch {
            preconditionFailure("a decoder throws no other errors: \(error)")
        }
    }
}

/// Why a control set does not count.
package enum ControlError: Error, Hashable {
    /// The body is not the expected deterministic CBOR.
    case malformed(CBORError)
    /// An action that only a later version knows.
    case unknownAction(String)
    /// The body is not the one that the header names.
    case wrongBody
    /// The author's signature does not verify, or its key is unknown.
    case badSignature
    /// The chain has another number of control sets, or another one before this set.
    case stale
    /// The rules forbid an action; the text says why.
    case forbidden(Forbidden)

    /// The rules of a control chain that an action can break.
    package enum Forbidden: String, Sendable {
        /// The first set does not found this space, or a later one founds one.
        case founding
        /// A card is not signed by its own key, or is not for this user or this space.
        case card
        /// No line of vouches leads from the founding key to the card.
        case proof
        /// The author or the voucher has no live card, or another user's.
        case author
        /// The invitation is unknown, used up, withdrawn or expired, or did not permit this.
        case invitation
        /// The epoch is not the next one, or its wraps are not those of the members.
        case epoch
        /// The devices cannot be revoked by this author.
        case revocation
        /// The author's role does not permit this, or the space would be left without an owner.
        case role
        /// The cuts are below what the log has.
        case cut
        /// The held set was adopted or declined before.
        case decision
        /// This version does not judge spaces of this policy.
        case unsupported
    }
}

/// A control set whose body was checked; its signature is verified by the ``ControlChain``.
package struct ControlSet: Sendable {
    package let upload: Upload
    package let place: ControlPlace
    package let body: ControlBody

    package init(_ upload: Upload, body: [UInt8]) throws(ControlError) {
        guard let place = upload.header.control else { throw .stale }
        if let key = upload.header.unknownCriticalKey { throw .unknownAction("key \(key)") }
        guard body.count == upload.header.bodyByteCount,
            upload.header.decodedByteCount == body.count,
            Digest(of: body) == upload.header.bodyHash
        else { throw .wrongBody }
        self.upload = upload
        self.place = place
        self.body = try ControlBody(decoding: body)
    }

    package var author: Identifier { upload.header.device }
    package var hash: Digest { upload.hash }

    /// Whether the author signed the set with this key.
    func isSigned(by key: PublicKey) -> Bool { upload.isControlSet(signedBy: key) }
}

extension Upload {
    /// Whether this is a control set that the device in its header signed with this key.
    package func isControlSet(signedBy key: PublicKey) -> Bool {
        guard isControl, case .signature(let envelope) = protection else { return false }
        return envelope.verifies(with: key, of: header.device, for: .control)
    }
}
