internal import SyncCore

/// What a decision about a space's log needs to know: the question that ``LogFacts`` answers.
struct LogQuestion: Sendable {
    let space: Identifier
    /// Who asks; ``StoreError/notFound`` where that is no member.
    let asker: Device
    private(set) var replicas: Set<Identifier> = []
    /// The names whose sets matter.
    private(set) var names: Set<ReplicaSequence> = []
    /// Chunks that may have to be there.
    private(set) var chunks: Set<Digest> = []
    /// The devices that sealed sets which the asker brings back.
    private(set) var devices: Set<Identifier> = []

    /// About sets that their device appends.
    init(appending sets: [PushedSet], to space: Identifier, by asker: Device) {
        (self.space, self.asker) = (space, asker)
        for set in sets { insert(set.upload, set.chunks) }
    }

    /// About sets that a member brings back.
    init(refilling sets: [RefilledSet], to space: Identifier, by asker: Device) {
        (self.space, self.asker) = (space, asker)
        for set in sets {
            insert(set.upload, set.chunks)
            devices.insert(set.upload.header.device)
        }
    }

    /// About the held sets of one name.
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
