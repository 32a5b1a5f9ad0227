internal import SyncCore

/// The query for the facts that a decision about a space's log needs; ``LogFacts`` is its result.
struct LogQuestion: Sendable {
    let space: Identifier
    /// The device that asks; ``StoreError/notFound`` if its person is no member.
    let asker: Device
    private(set) var replicas: Set<Identifier> = []
    /// The names of the sets to look up.
    private(set) var names: Set<ReplicaSequence> = []
    /// Chunks that the sets name and that were not uploaded with them.
    private(set) var chunks: Set<Digest> = []
    /// The devices that sealed the refilled sets.
    private(set) var devices: Set<Identifier> = []

    /// For sets that their own device appends.
    init(appending sets: [PushedSet], to space: Identifier, by asker: Device) {
        (self.space, self.asker) = (space, asker)
        for set in sets { insert(set.upload, set.chunks) }
    }

    /// For sets that a member refills.
    init(refilling sets: [RefilledSet], to space: Identifier, by asker: Device) {
        (self.space, self.asker) = (space, asker)
        for set in sets {
            insert(set.upload, set.chunks)
            devices.insert(set.upload.header.device)
        }
    }

    /// For the held sets of one name.
    init(settling name: ReplicaSequence, in space: Identifier, by asker: Device) {
        (self.space, self.asker) = (space, asker)
        names = [name]
    }

    private mutating func insert(_ upload: Upload, _ chunks: [Digest: [UInt8]]) {
        replicas.insert(upload.header.replica)
        names.insert(upload.slot)
        let missing = upload.header.chunks.map(\.hash).filter { chunks[$0] == nil }
        self.chunks.formUnion(missing)
    }
}
