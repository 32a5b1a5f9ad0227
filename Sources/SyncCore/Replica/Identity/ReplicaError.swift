/// Why a replica cannot do what it was asked for.
public enum ReplicaError: Error, Hashable {
    /// There is no replica in the file.
    case missing
    /// Nothing was ever written to the file.
    case empty
    /// This replica has no space of that name.
    case unknownSpace(Identifier)
    /// A packed record of cells is damaged: the file is corrupt.
    case damagedRecord
    /// The guard beside the database could not be written.
    case guardNotWritten(errno: Int32)
    /// This device has not joined a server.
    case notJoined
    /// This device joined a server already.
    case alreadyJoined(authority: String)
    /// The link is for another person than the one whose own space this is.
    case anotherPerson(ownSpace: Identifier)
    /// A text or a value above its limit.
    case tooLarge(field: Text, byteCount: Int)
    /// A value that the field's collection does not declare.
    case wrongType(field: Text, expected: String)
    /// A value that nests too deep or holds a number that is not finite.
    case notEncodable(field: Text)
    /// Bytes of a chunk that do not have its name, or that are no chunk.
    case wrongChunk(Digest)
    /// The server's log does not continue the one that was merged before.
    case historyChanged(space: Identifier, position: UInt64)
    /// The server's page cannot be understood.
    case malformedPage(space: Identifier)
    /// The server's log has more that cannot be read than is kept.
    case tooMuchUnreadable(space: Identifier)
}
