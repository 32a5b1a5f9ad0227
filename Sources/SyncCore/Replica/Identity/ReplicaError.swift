/// Why a replica cannot perform a call.
public enum ReplicaError: Error, Hashable {
    /// The file contains no replica.
    case missing
    /// The file contains a replica, but not the record of its device or of its own space.
    case lostIdentity
    /// The file is empty.
    case empty
    /// The replica has no space with this id.
    case unknownSpace(Identifier)
    /// A packed record is damaged: the file is corrupt.
    case damagedRecord
    /// A part of the database is damaged that other parts of it can restore.
    case damaged(Damage)
    /// The permanent keys of this device are damaged beyond repair.
    case damagedKeys
    /// The seal counter beside the database could not be written.
    case guardNotWritten(errno: Int32)
    /// The device has not joined a server.
    case notJoined
    /// The device has joined a server already.
    case alreadyJoined(authority: String)
    /// The device is in shared spaces, in which another device would not be.
    case sharing
    /// No device of the user has vouched for this one yet.
    case notVouched
    /// The link belongs to another user than this own space.
    case anotherPerson(ownSpace: Identifier)
    /// The server took a control set by a device that this database knows as revoked; `newcomers` are
    /// the devices of the server's chain that this database does not know.
    case revivedDevice(Identifier, newcomers: [Identifier])
    /// A text or a value exceeds its limit.
    case tooLarge(field: Text, byteCount: Int)
    /// The value does not have the type that the field's collection declares.
    case wrongType(field: Text, expected: String)
    /// The value nests too deep or contains a number that is not finite.
    case notEncodable(field: Text)
    /// The bytes do not have the chunk's hash, or are no chunk.
    case wrongChunk(Digest)
    /// The server's log does not continue the one that was merged before.
    case historyChanged(space: Identifier, position: UInt64)
    /// The server's page is malformed.
    case malformedPage(space: Identifier)
    /// The server's log has more unreadable entries than the replica keeps.
    case tooMuchUnreadable(space: Identifier)
}
