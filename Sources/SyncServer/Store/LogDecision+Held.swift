internal import SyncCore

extension LogDecision {
    /// The reason of a held set that lies beyond the cut of its device or its user.
    static let cut = "cut"

    /// The reason for a set that the role of its author did not allow.
    static let role = "role"

    /// Whether the control chain lets a held set count.
    func isAdopted(_ upload: Upload) -> Bool { facts.chain.decision(on: upload) == .adopted }

    /// Throws ``ControlError/forbidden(_:)`` if a control set adopts a held set of the log that no
    /// member could count.
    func checkAdoptions(by control: ControlSet) throws(ControlError) {
        let policy = AdmissionPolicy(facts.chain)
        for held in held(among: control.adopted) {
            // What this server cannot read the members judge.
            guard let body = held.body,
                let set = try? ChangeSet(logged: held.upload, body: body)
            else { continue }
            guard policy.canCount(set, hash: held.upload.hash, .standard) else {
                throw .forbidden(.decision)
            }
        }
    }

    /// Has the held sets of the log count that a control set adopts.
    mutating func countAdopted(by control: ControlSet) {
        for held in held(among: control.adopted) {
            count(held.upload)
            rows.wanted += held.upload.header.chunks.map(\.hash)
                .filter { !facts.chunks.contains($0) }
        }
    }

    private func held(
        among references: [SetReference]
    ) -> [(upload: Upload, body: [UInt8]?)] {
        references.compactMap { reference in
            let name = ReplicaSequence(replica: reference.replica, sequence: reference.sequence)
            let set = facts.sets[name]?.first { $0.hash == reference.hash && $0.verdict == .held }
            return set?.upload.map { ($0, set?.body) }
        }
    }
}
