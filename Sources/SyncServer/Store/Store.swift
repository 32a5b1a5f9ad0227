internal import SyncCore

/// The truth of a server: one log a space, chunks, accounts, devices, members and invitations.
///
/// The contract, which every implementation passes as one suite:
/// - a position is given to a set in the transaction that stores it, so a reader sees no gap;
/// - what was answered is durable; one transaction touches one space, but for accounts;
/// - membership is part of the statement that reads or writes a space: who is not a member gets
///   ``StoreError/notFound``, as for a space that does not exist;
/// - times, ids and randomness are parameters;
/// - every call can be repeated without harm.
protocol Store: Sendable {
    /// The incarnation of this server's history.
    var epoch: Identifier { get }

    /// Whether sets and chunks can be stored now; throws what storing them would.
    func checkWritable(at now: UnixTime) async throws

    /// Adds a person without a device, and the invitation that lets the first one in.
    func addUser(_ user: Identifier, name: String, invitation: Invitation) async throws
    /// Lets a device in by a token; until it has signed a request, and while the link is good, the
    /// same device with the same key gets the same answer again.
    func enrol(_ device: NewDevice, token: Digest, at now: UnixTime) async throws -> Enrolled
    /// Lets a device in again whose enrolment was proven; nothing happens where it is known.
    func readmit(_ device: NewDevice, of user: Identifier, at now: UnixTime) async throws
    /// A device that is or was enrolled, nil for an unknown one.
    func device(_ id: Identifier) async throws -> Device?
    /// Notes that a device made a request; the wrapped key of its link is forgotten.
    func noteSigned(_ device: Identifier) async throws
    /// A person's devices in the order of their enrolment, revoked ones too.
    func devices(of user: Identifier) async throws -> [Device]
    /// Shuts a device of the same person out, for ever.
    func revoke(_ device: Identifier, of user: Identifier) async throws
    /// Notes a nonce; false where this device used it before.
    func useNonce(_ nonce: String, of device: Identifier, at now: UnixTime) async throws -> Bool

    /// Makes a space whose owner is `user`; nothing happens where it is theirs already.
    func createSpace(_ space: Identifier, owner user: Identifier) async throws
    /// The spaces that a person is a member of.
    func spaces(of user: Identifier) async throws -> [Membership]
    /// Adds an invitation to a space.
    func invite(_ invitation: Invitation, by user: Identifier) async throws
    /// The invitations to a space that are neither used nor expired.
    func invitations(
        to space: Identifier,
        for user: Identifier,
        at now: UnixTime
    ) async throws -> [Invitation]
    /// Takes an invitation back.
    func withdraw(_ token: Digest, from space: Identifier, by user: Identifier) async throws

    /// Puts sets at the end of a space's log, each with its verdict, or tells why not.
    func append(
        _ sets: [PushedSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult]
    /// Puts sets at the end of a space's log that an earlier log had, or tells why not.
    ///
    /// What a receipt proves is not judged again; two sets that go by one name are both kept, and
    /// their replica takes no more.
    func refill(
        _ sets: [RefilledSet],
        to space: Identifier,
        by device: Device,
        at now: UnixTime
    ) async throws -> [PushResult]
    /// The last set of a replica in a space's log.
    func head(
        of replica: Identifier,
        in space: Identifier,
        for user: Identifier
    ) async throws -> ReplicaHead?
    /// A page of a space's log; `user` nil is the server itself.
    func page(
        of space: Identifier,
        after position: UInt64,
        for user: Identifier?,
        byteLimit: Int
    ) async throws -> Page

    /// How far a space was in the last verified backup, nil where there is none of this epoch.
    func backupMark(of space: Identifier, for user: Identifier) async throws -> BackupMark?

    /// The sets that wait for a decision, the oldest first; for owners and admins.
    func held(in space: Identifier, for user: Identifier) async throws -> [HeldSet]
    /// Lets a held set count, at a position of its own, or turns it down; for owners and admins.
    func settle(
        _ set: HeldName,
        in space: Identifier,
        _ decision: HeldDecision,
        by device: Device,
        at now: UnixTime
    ) async throws

    /// Stores a chunk whose hash was checked.
    func putChunk(
        _ bytes: [UInt8],
        _ hash: Digest,
        in space: Identifier,
        for user: Identifier
    ) async throws
    /// A chunk's bytes.
    func chunk(
        _ hash: Digest,
        in space: Identifier,
        for user: Identifier
    ) async throws -> [UInt8]
    /// Notes that a chunk is missing which the log names, for whoever has it; so many at most.
    func want(_ hash: Digest, in space: Identifier, for user: Identifier) async throws
    /// Chunks that are wanted.
    func wantedChunks(of space: Identifier, for user: Identifier) async throws -> [Digest]
    /// Which of some chunks a space lacks.
    func lacking(
        _ hashes: [Digest],
        in space: Identifier,
        for user: Identifier
    ) async throws -> [Digest]
}

/// Why the store does not do what it was asked for.
enum StoreError: Error, Equatable {
    /// There is no such thing, or this person may not know of it.
    case notFound
    /// The role does not allow it.
    case forbidden
    /// The token is unknown, used by another device, or expired.
    case badToken
    /// The device's id is another enrolled device's: one is a copy of the other.
    case deviceTaken
    /// The device was revoked.
    case deviceRevoked
    /// A held set whose body nobody has brought yet.
    case withoutBody
    /// The cursor lies beyond the log's end.
    case beyondHead(UInt64)
}

/// What a member may do in a space.
enum Role: Int64, CaseIterable, Sendable {
    case owner = 0
    case admin = 1
    case editor = 2
    case contributor = 3
    case viewer = 4

    /// The name in documents.
    var name: String { "\(self)" }
}

/// A space and what a person is there.
struct Membership: Hashable, Sendable {
    let space: Identifier
    let role: Role
    let head: UInt64
}

/// A device as the server knows it.
struct Device: Hashable, Sendable {
    let id: Identifier
    let user: Identifier
    let name: String
    let keyEpoch: UInt64
    let enrolled: UnixTime
    let isRevoked: Bool
    /// Whether it has made a request: then it has its keys, and its link is worth nothing.
    let hasSigned: Bool
}

/// A device that asks to be let in.
struct NewDevice: Hashable, Sendable {
    let id: Identifier
    let name: String
    /// X25519, 32 bytes.
    let publicKey: [UInt8]
    /// The own space that it brings along: nobody with another one lets it in.
    var space: Identifier?
}

/// What a device gets that was let in.
struct Enrolled: Hashable, Sendable {
    let device: Device
    /// The person's own space and its wrapped key; nil for a first device.
    let space: Identifier?
    let wrappedKey: [UInt8]?
}

/// A single-use token that lets a device in.
struct Invitation: Hashable, Sendable {
    /// The SHA-256 of the token.
    let token: Digest
    /// Whose device it will be.
    let user: Identifier
    /// The space whose wrapped key it gets; nil for a first device.
    let space: Identifier?
    let wrappedKey: [UInt8]?
    let expires: UnixTime
}

/// A set that a member brings back, whose outer MAC, hashes and structure were checked.
struct RefilledSet: Sendable {
    let upload: Upload
    /// Nil where it was dropped, or never sent to who brings the set back.
    let body: [UInt8]?
    /// What the device signed; nil without a body.
    let content: PushedSet.Content?
    /// The chunks that came along, by hash.
    let chunks: [Digest: [UInt8]]
    /// What an earlier log of this server said of the set, where its receipt proves it.
    let proven: SetName.Judgement?
    /// Why that log did not take it, as who brings it back says.
    let reason: String
}

/// A set whose outer MAC, hashes and structure were checked, on its way into the log.
struct PushedSet: Sendable {
    let upload: Upload
    let body: [UInt8]
    let content: Content
    /// The chunks that came along, by hash; each was hashed and unpacked.
    let chunks: [Digest: [UInt8]]

    /// What the device signed, as far as this server understands it.
    enum Content: Sendable {
        /// Changes.
        case opened(ChangeSet)
        /// Something that is authentic and no good here: its verdict and the reason.
        case unusable(Verdict, reason: String)
    }
}
