internal import SyncCore

/// The query for the facts that a decision about a space's log needs; ``LogFacts`` is its result.
struct LogQuestion: Sendable {
    let space: Identifier
    /// The device that asks; ``StoreError/notFound`` if its person is no member.
    let asker: Device
    var replicas: Set<Identifier> = []
    /// The names of the sets to look up.
    var names: Set<ReplicaSequence> = []
    /// Chunks that the sets name and that were not uploaded with them.
    var chunks: Set<Digest> = []
    /// The devices that sealed the refilled sets.
    var devices: Set<Identifier> = []

    /// Adds a set, and its chunks that were not uploaded with it.
    mutating func insert(_ upload: Upload, _ chunks: [Digest: [UInt8]]) {
        replicas.insert(upload.header.replica)
        names.insert(upload.slot)
        self.chunks.formUnion(upload.header.chunks.map(\.hash).filter { chunks[$0] == nil })
    }
}
