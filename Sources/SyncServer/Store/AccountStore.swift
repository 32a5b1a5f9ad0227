internal import SyncCore

/// Who may do what: people, their devices, invitations and nonces, memberships and revocations.
///
/// A person and a device exist once on a server, a membership once a space. A device's id is never
/// given to another one, not even after its revocation.
protocol AccountStore: Sendable {
    /// Adds a person without a device, and the invitation that lets the first one in.
    ///
    /// A person or a token that exists keeps its values.
    func addUser(_ user: Identifier, name: String, invitation: Invitation) async throws

    /// Enrols a device by the token of an invitation, which is used up.
    ///
    /// Until the device has signed a request, and before the invitation expires, the same device
    /// with the same key gets the same answer again.
    ///
    /// Throws ``StoreError/badToken`` for a token that is unknown, expired or used by another
    /// device; ``StoreError/deviceTaken`` for a device that is or was enrolled by another token;
    /// ``StoreError/forbidden`` for a device that brings the own space of another person.
    func enrol(_ device: NewDevice, token: Digest, at now: UnixTime) async throws -> Enrolled

    /// Enrols a device again that an earlier store lost, and its person with it.
    ///
    /// The caller has proof of the former enrolment. A device that is known stays as it is. Throws
    /// ``StoreError/deviceRevoked`` for a revoked one.
    func readmit(_ device: NewDevice, of user: Identifier, at now: UnixTime) async throws

    /// Returns a device that is or was enrolled, nil for an unknown one.
    func device(_ id: Identifier) async throws -> Device?

    /// Notes that a device signed a request, and deletes the wrapped key of its invitation.
    func noteSigned(_ device: Identifier) async throws

    /// Returns a person's devices by the time of their enrolment, then by id; revoked ones too.
    func devices(of user: Identifier) async throws -> [Device]

    /// Revokes a device of the person, for ever; ``StoreError/notFound`` for anyone else's.
    func revoke(_ device: Identifier, of user: Identifier) async throws

    /// Revokes devices, also those that this store does not know yet, as after a restore.
    func replayRevocations(_ devices: [Identifier]) async throws

    /// Uses a nonce of a device up, for ``StoreLimits/nonceMilliseconds``.
    ///
    /// Returns false where the device used it before: a repetition answers differently.
    func useNonce(_ nonce: String, of device: Identifier, at now: UnixTime) async throws -> Bool

    /// Creates a space whose owner is `user`; ``StoreError/notFound`` where it is another's.
    func createSpace(_ space: Identifier, owner user: Identifier) async throws

    /// Returns the spaces that a person is a member of, by id.
    func spaces(of user: Identifier) async throws -> [Membership]

    /// Returns the owner of a space; for the operator, who is no member.
    func owner(of space: Identifier) async throws -> Identifier

    /// Adds an invitation, whose space `user` is a member of; a token that exists keeps its values.
    func invite(_ invitation: Invitation, by user: Identifier) async throws

    /// Returns the person's invitations to a space that are neither used nor expired, by their
    /// expiry, then by token.
    func invitations(
        to space: Identifier,
        for user: Identifier,
        at now: UnixTime
    ) async throws -> [Invitation]

    /// Deletes an invitation that nobody used; ``StoreError/notFound`` for any other, so also when
    /// it is repeated.
    func withdraw(_ token: Digest, from space: Identifier, by user: Identifier) async throws
}
