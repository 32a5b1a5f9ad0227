extension Replica {
    /// Does work on the replica's queue that reads samples as it needs them.
    ///
    /// Nothing else is done here meanwhile. Files may be written in it: this queue may wait for a
    /// disk, as the cooperative pool may not.
    package func perform<Result: Sendable>(
        _ work: @Sendable (isolated Replica) throws -> Result
    ) throws -> Result {
        try work(self)
    }

    /// A track with what a file can say of it; for use in ``perform(_:)``.
    ///
    /// Cells that a program of another kind wrote are left out where they have another shape.
    package func exportedTrack(_ track: Track, in space: Identifier) throws -> ExportedTrack {
        let place = TrackPlace(space: try number(ofSpace: space), id: track.id)
        let (kin, samples) = try database.read {
            let kin = try self.kin(of: place)
            return (kin, try batches(of: track.id, in: kin))
        }
        let cells = kin.cells[track.id] ?? [:]
        var exported = ExportedTrack(
            name: track.name ?? "",
            sport: track.sport ?? "",
            notes: cells[TrackField.notes]?.value.text ?? "",
            samples: samples
        )
        exported.id = track.id.description
        exported.device = cells[TrackField.device]?.value.text ?? ""
        exported.start = track.start
        exported.rule = TrackField.rule(cells)
        // What its device counted is not what is left of it.
        guard !kin.isEdited(track.id) else { return exported }
        exported.laps = (cells[TrackField.laps]?.value.list ?? []).compactMap(
            ImportedTrack.Lap.init
        )
        exported.totals = ImportedTrack.Totals(cells[TrackField.totals]?.value)
        return exported
    }
}

extension ImportedTrack.Lap {
    /// Reads `[start, milliseconds, centimetres]`.
    package init?(_ value: Value) {
        guard let list = value.list, let start = list.first?.integer else { return nil }
        self.init(
            start: UnixTime(milliseconds: start),
            milliseconds: list.dropFirst().first?.integer,
            centimetres: list.dropFirst(2).first?.integer
        )
    }
}

extension ImportedTrack.Totals {
    /// Reads the map of what the device added up; empty where it is none.
    fileprivate init(_ value: Value?) {
        self.init()
        let figures = value?.map ?? [:]
        elapsedMilliseconds = figures["elapsed"]?.integer
        timerMilliseconds = figures["timer"]?.integer
        centimetres = figures["centimetres"]?.integer
        ascentMetres = figures["ascent"]?.integer
        descentMetres = figures["descent"]?.integer
        kilocalories = figures["kilocalories"]?.integer
    }
}
