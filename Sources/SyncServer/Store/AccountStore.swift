internal import SyncCore

/// People, devices, the operator's invitations, nonces and revocations.
///
/// Devices and memberships mirror the control chains; only accepted control sets change them.
protocol AccountStore: Sendable {
    /// Adds an invitation of the operator; an existing token keeps its values.
    func invite(_ invitation: Invitation) async throws

    /// Takes in the control sets by which a device enters a space, or founds one.
    ///
    /// Returns one result per set, in order. A set that fails is not stored. Idempotent.
    ///
    /// Throws ``StoreError/notFound`` for a space that this server does not host and need not;
    /// ``StoreError/tooManySpaces`` for a shared space of a user who founded
    /// ``StoreLimits/foundedSpaces`` already;
    /// ``StoreError/deviceTaken`` for a device that entered with another token.
    func enter(_ entering: Entering, at now: UnixTime) async throws -> [PushResult]

    /// Returns the control chain of a space, or nil if the server does not host the space.
    func chain(of space: Identifier) async throws -> ControlChain?

    /// Returns the accepted control sets of a space from an index on, as log entries.
    func controls(of space: Identifier, from index: UInt64) async throws -> [[UInt8]]

    /// Returns the own space of the user of a card, or nil for an unknown card.
    func space(ofCard card: Identifier) async throws -> Identifier?

    /// Returns a device, live or revoked, or nil if the id is unknown.
    func device(_ id: Identifier) async throws -> Device?

    /// Raises the key epoch of a device above `epoch`; returns the device.
    func raiseKeyEpoch(of device: Identifier, above epoch: UInt64) async throws -> Device?

    /// Returns a person's devices, including revoked ones, ordered by enrolment time, then id.
    func devices(of user: Identifier) async throws -> [Device]

    /// Whether a device was ever revoked, even one that this store does not know.
    func isRevoked(_ device: Identifier) async throws -> Bool

    /// Revokes devices, including unknown ones, for example after a restore.
    func replayRevocations(_ devices: [Identifier]) async throws

    /// Records that a device used a nonce, for ``StoreLimits/nonceMilliseconds``.
    ///
    /// Returns false if the device used it before. Not idempotent.
    func useNonce(_ nonce: String, of device: Identifier, at now: UnixTime) async throws -> Bool

    /// Returns the spaces that a device is in, ordered by id.
    func spaces(of device: Identifier) async throws -> [Membership]
}

/// Control sets that a device brings to enter a space, with what lets the server host that space.
struct Entering: Sendable {
    let space: Identifier
    /// In the order of their indices.
    let sets: [RefilledSet]
    /// The device that enters, and its name as its owner chose it.
    let device: Identifier?
    let name: String?
    /// The hash of the operator's token, or nil without one.
    let token: Digest?
}
