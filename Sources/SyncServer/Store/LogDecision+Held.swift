internal import SyncCore

extension LogDecision {
    /// The reason of a held set that lies beyond the cut of its device or its user.
    static let cut = "cut"

    /// The reason for a set that the role of its author did not allow.
    static let role = "role"

    /// Whether the control chain lets a held set count.
    func isAdopted(_ upload: Upload) -> Bool { facts.chain.decision(on: upload) == .adopted }

    /// Throws ``ControlError/forbidden(_:)`` if a control set adopts a held set of the log that could not
    /// count even so.
    func checkAdoptions(by control: ControlSet) throws(ControlError) {
        guard facts.unadoptable.isDisjoint(with: control.adopted) else {
            throw .forbidden(.decision)
        }
    }

    /// Has the held sets of the log count that a control set adopts.
    mutating func countAdopted(by control: ControlSet) {
        for reference in control.adopted {
            let set = facts.sets[reference.slot]?.first {
                $0.hash == reference.hash && $0.verdict == .held
            }
            guard let upload = set?.upload else { continue }
            count(upload)
            rows.wanted += upload.header.chunks.map(\.hash).filter { !facts.chunks.contains($0) }
        }
    }
}
