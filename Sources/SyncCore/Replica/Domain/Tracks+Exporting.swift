extension Tracks {
    /// Returns a track with everything that an export can carry; samples are read on demand.
    ///
    /// Cells of an unexpected shape are left out.
    package func exported(_ track: Track, in space: Identifier) throws -> ExportedTrack {
        let place = try address(track.id, in: space)
        let (graph, samples) = try database.read {
            let graph = try projection.graph(of: place)
            return (graph, try projection.batches(of: track.id, in: graph))
        }
        let cells = graph.cells[track.id] ?? [:]
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
        // The device's laps and totals do not describe an edited track.
        guard !graph.isEdited(track.id) else { return exported }
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
    /// Reads the map of the device's totals; empty if the value is no map.
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
