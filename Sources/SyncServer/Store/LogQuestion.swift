internal import SyncCore

/// The query for the facts that a decision about a space's log needs; ``LogFacts`` is its result.
struct LogQuestion: Sendable {
    let space: Identifier
    /// The device that asks; ``StoreError/notFound`` if it is not in the space.
    ///
    /// Nil for a device that is about to enter.
    let asker: Device?
    /// Whether a device that was in the space may ask, too.
    var isForFormer = false
    var replicas: Set<Identifier> = []
    /// The names of the sets to look up.
    var names: Set<ReplicaSequence> = []
    /// The positions of this log that the authors of the sets had merged.
    var positions: Set<LogPosition> = []
    /// Chunks that the sets name and that were not uploaded with them.
    var chunks: Set<Digest> = []
    /// The devices that sealed the sets.
    var devices: Set<Identifier> = []
    /// The control sets among the sets.
    var controls: [ControlSet] = []
    /// Chunks of wraps that control sets name.
    var wraps: Set<Digest> = []

    /// Adds a set, and its chunks that were not uploaded with it.
    mutating func insert(_ upload: Upload, _ chunks: [Digest: [UInt8]]) {
        replicas.insert(upload.header.replica)
        names.insert(upload.slot)
        self.chunks.formUnion(upload.header.chunks.map(\.hash).filter { chunks[$0] == nil })
        devices.insert(upload.header.device)
        guard upload.isControl else { return }
        wraps.formUnion(upload.header.chunks.map(\.hash).filter { chunks[$0] == nil })
    }

    /// Adds a control set and the devices that it brings in.
    mutating func insert(_ set: ControlSet) {
        devices.formUnion(set.body.actions.compactMap(\.newcomer?.device))
        controls.append(set)
    }
}
