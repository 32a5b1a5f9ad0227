internal import SyncCore

/// People, devices, invitations, nonces, memberships and revocations.
///
/// A person and a device exist once per server, a membership once per space. A device id is never
/// reused, not even after its revocation.
protocol AccountStore: Sendable {
    /// Adds a person without a device, and the invitation for the first device.
    ///
    /// An existing person or token keeps its values.
    func addUser(_ user: Identifier, name: String, invitation: Invitation) async throws

    /// Enrols a device with an invitation's token, which is then used up.
    ///
    /// A retry with the same id and public key gets the same answer until the device has signed a
    /// request or the invitation expires.
    ///
    /// Throws ``StoreError/badToken`` for a token that is unknown, expired or used by another
    /// device; ``StoreError/deviceTaken`` for a device that is or was enrolled with another token;
    /// ``StoreError/forbidden`` for a device that brings another person's own space.
    func enrol(_ device: NewDevice, token: Digest, at now: UnixTime) async throws -> Enrolled

    /// Enrols a device, and its person, that an earlier store had and this one lost.
    ///
    /// The caller has verified proof of the former enrolment. A known device is left unchanged.
    /// Throws ``StoreError/deviceRevoked`` for a revoked one.
    func readmit(_ device: NewDevice, of user: Identifier, at now: UnixTime) async throws

    /// Returns a device, enrolled or revoked, or nil if the id is unknown.
    func device(_ id: Identifier) async throws -> Device?

    /// Records that a device signed a request, and deletes the wrapped key of its invitation.
    func noteSigned(_ device: Identifier) async throws

    /// Returns a person's devices, including revoked ones, ordered by enrolment time, then id.
    func devices(of user: Identifier) async throws -> [Device]

    /// Revokes a person's device for good, or throws ``StoreError/notFound`` for any other device.
    func revoke(_ device: Identifier, of user: Identifier) async throws

    /// Revokes devices, including unknown ones, for example after a restore.
    func replayRevocations(_ devices: [Identifier]) async throws

    /// Records that a device used a nonce, for ``StoreLimits/nonceMilliseconds``.
    ///
    /// Returns false if the device used it before. Not idempotent.
    func useNonce(_ nonce: String, of device: Identifier, at now: UnixTime) async throws -> Bool

    /// Creates a space owned by `user`, or throws ``StoreError/notFound`` if it belongs to others.
    func createSpace(_ space: Identifier, owner user: Identifier) async throws

    /// Returns the spaces of which a person is a member, ordered by id.
    func spaces(of user: Identifier) async throws -> [Membership]

    /// Returns the owner of a space, without a membership check; for the operator's commands.
    func owner(of space: Identifier) async throws -> Identifier

    /// Adds an invitation to a space of which `user` is a member; an existing token keeps its
    /// values.
    func invite(_ invitation: Invitation, by user: Identifier) async throws

    /// Returns a person's invitations to a space that are neither used nor expired.
    ///
    /// Ordered by expiry, then token.
    func invitations(
        to space: Identifier,
        for user: Identifier,
        at now: UnixTime
    ) async throws -> [Invitation]

    /// Deletes an unused invitation.
    ///
    /// Throws ``StoreError/notFound`` for any other, so also for a repeated call.
    func withdraw(_ token: Digest, from space: Identifier, by user: Identifier) async throws
}
