/// Control sets and the chains that they make.
extension Salvager {
    /// Salvages a control set; returns false if it is damaged.
    func readControl(
        _ upload: Upload,
        _ values: [SQLiteValue],
        number row: Int64,
        in salvaging: inout Salvaging
    ) throws -> Bool {
        guard upload.hash.bytes == values.blob(4) else { return false }
        let set = values.blob(6).flatMap { try? ControlSet(upload, body: $0) }
        let isRefused = (values.integer(9) ?? 0) != 0
        guard set != nil || isRefused else { return false }
        salvaging.salvage.sets += 1
        guard salvaging.recovered.isWhole,
            let number = try insert(upload, values, number: row, pending: values.text(12)),
            let set, !isRefused, values.integer(13) == 0, let space = values.integer(1)
        else { return true }
        let isWaiting = values[9] == .null
        salvaging.controls[space, default: []]
            .append(SalvagedControl(set: set, number: number, isWaiting: isWaiting))
        return true
    }

    /// Evaluates the salvaged control sets of each space, up to the first one that is lost.
    ///
    /// The log brings the others again. Own waiting sets that no longer follow are taken back.
    func rebuildChains(of salvaging: Salvaging) throws {
        for (space, found) in salvaging.controls.sorted(by: { $0.key < $1.key }) {
            let sets = found.sorted { $0.order < $1.order }
            var chain = try controls.chain(ofSpace: space)
            for known in sets where known.isMerged {
                guard (try? chain.apply(known.set)) != nil else { continue }
                try controls.mark(known.set, number: known.number)
                try controls.wantWraps(named: known.set, in: space)
            }
            try controls.store(chain, of: space)
            try controls.learnSecrets(of: chain.space)
            for waiting in sets where !waiting.isMerged {
                if (try? chain.apply(waiting.set)) != nil {
                    try controls.mark(waiting.set, number: waiting.number)
                } else {
                    try controlSealer.takeBack(waiting.number)
                }
            }
        }
    }
}

/// A control set of a damaged replica.
struct SalvagedControl {
    let set: ControlSet
    /// Its number in the new replica.
    let number: Int64
    /// Whether it has no verdict yet.
    let isWaiting: Bool

    /// A founding counts before any server hears of it.
    var isMerged: Bool { !isWaiting || set.place.index == 0 }

    var order: (UInt64, Int64) { (set.place.index, number) }
}
