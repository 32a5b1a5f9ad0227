/// An action of a control set, which changes who is in a space and which keys count.
package enum ControlAction: Hashable, Sendable {
    /// Founds the space; only the first action of the first control set.
    case found(Founding)
    /// Begins a key epoch.
    case epoch(KeyEpoch)
    /// Lets the holder of a link enter.
    case invite(SpaceInvitation)
    /// Withdraws invitations.
    case close([Identifier])
    /// Enters by an invitation.
    case join(Joining)
    /// Adds a further device, or a recovery code, of a user who is in the space.
    case addCard(AddedCard)
    /// Takes the rights of devices away.
    case revoke(Revocation)
    /// Gives a member another role.
    case setRole(RoleSetting)
    /// Ends the membership of a user.
    case remove(Removal)
    /// Ends the membership of the author, whose sets count up to these.
    case leave([SetReference])
    /// Lets held sets count, whatever they are held for.
    case adopt([SetReference])
    /// Decides that held sets never count.
    case decline([SetReference])
    /// Accepts an epoch of the server, with its predecessors, the newest first.
    case server(epoch: Identifier, past: [LogEnding])
    /// Encrypts the secret of the newest key epoch for further cards.
    case wrap(epoch: UInt64, [SecretWrap])

    package struct Founding: Hashable, Sendable {
        package let kind: SpaceKind
        /// What makes the space another one than the founder's other spaces.
        package let nonce: Identifier
        /// The version of the rules by which the space judges sets; 1.
        package let policy: UInt64
        package let card: Card
        package let proof: UserProof
    }

    package struct KeyEpoch: Hashable, Sendable {
        /// The number of the epoch, from 1.
        package let number: UInt64
        /// ``EpochSecret/hash``.
        package let secretHash: Digest
        /// ``EpochSecret/wrapEarlier(_:using:)``, 60 bytes; nil for the first epoch.
        package let earlier: [UInt8]?
        /// The chunk that has the wraps for all live cards and open invitations.
        package let wraps: Digest

        /// Whether a secret is that of this epoch of a space.
        func has(_ secret: Secret, in space: Identifier) -> Bool {
            EpochSecret(space: space, epoch: number, secret: secret).hash == secretHash
        }
    }

    package struct SpaceInvitation: Hashable, Sendable {
        package let keys: PublicKeys
        package let role: InvitedRole
        /// How many may enter by it, at least 1; 1 for a device.
        package let uses: UInt64
        /// Unix seconds.
        package let expires: UInt64
        package let wrap: SecretWrap

        /// The time from which on nobody can enter, at most the year 36812.
        package var end: UnixTime { UnixTime(milliseconds: Int64(min(expires, 1 << 40)) * 1000) }

        package func isExpired(at now: UnixTime) -> Bool {
            UInt64(max(now.milliseconds / 1000, 0)) >= expires
        }
    }

    package struct Joining: Hashable, Sendable {
        package let card: Card
        package let proof: UserProof
        package let invitation: Identifier
        /// The invitation key's signature over space, invitation, user and keys.
        package let permit: Signature
        package let wraps: [SecretWrap]
    }

    package struct AddedCard: Hashable, Sendable {
        package let card: Card
        package let voucher: Identifier
        package let vouch: Signature
        package let wraps: [SecretWrap]
    }

    package struct Revocation: Hashable, Sendable {
        package let devices: [Identifier]
        /// The last set that counts of each replica of these devices; others count from none.
        package let cuts: [SetReference]
        /// Whether the cuts may lie below what the log has.
        package let isRetroactive: Bool
    }

    package struct RoleSetting: Hashable, Sendable {
        package let user: Identifier
        package let role: Role
        /// The last set that counts of each of the member's replicas; none if the role rises.
        package let cuts: [SetReference]
        /// Whether the cuts may lie below what the log has.
        package let isRetroactive: Bool
    }

    package struct Removal: Hashable, Sendable {
        package let user: Identifier
        /// The last set that counts of each of the user's replicas; others count from none.
        package let cuts: [SetReference]
        /// Whether the cuts may lie below what the log has.
        package let isRetroactive: Bool
    }
}

/// What an invitation makes of who enters by it.
package enum InvitedRole: Hashable, Sendable {
    /// A further device of the user, in that user's own space.
    case device
    /// A member of a shared space.
    case member(Role)

    package init?(_ name: String) {
        if name == "device" {
            self = .device
        } else {
            guard let role = Role(rawValue: name) else { return nil }
            self = .member(role)
        }
    }

    package var name: String {
        switch self {
        case .device: "device"
        case .member(let role): role.rawValue
        }
    }
}

/// A set of the space, by its replica, sequence and hash.
package struct SetReference: Hashable, Sendable {
    package let replica: Identifier
    package let sequence: UInt64
    package let hash: Digest

    package init(replica: Identifier, sequence: UInt64, hash: Digest) {
        (self.replica, self.sequence, self.hash) = (replica, sequence, hash)
    }
}
