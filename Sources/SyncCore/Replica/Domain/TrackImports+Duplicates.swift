/// An existing track that is a likely duplicate of an imported one.
public struct DuplicateTrack: Hashable, Sendable {
    /// The existing track.
    public let track: Identifier
    /// How much later its clock shows the same place: 0, or whole quarter hours.
    public let shiftMilliseconds: Int64
    /// Whether the imported track has all that the existing one has, so that it can replace it.
    ///
    /// False for a recording that has not ended, and while chunks of the existing track are
    /// missing.
    public let isCovered: Bool
}

extension TrackImports {
    /// The maximum number of candidates; those with the nearest start are compared.
    private static let candidateLimit = 64

    /// Returns the likely duplicates of an imported track, the nearest start first.
    ///
    /// Tracks in the trash and the imported track itself are left out. With `isPart`, the import is
    /// the beginning of a damaged file, and matches the whole track. An index over starts gives the
    /// candidates. Their samples are read chunk by chunk.
    package func duplicates(
        like imported: ImportedTrack,
        as name: ImportName,
        isPart: Bool = false,
        in space: Identifier
    ) throws -> [DuplicateTrack] {
        let rule = FixRule(sport: imported.sport)
        guard let marks = TrackMarks(of: imported.samples, by: rule) else { return [] }
        let richness = Richness(of: imported.samples)
        let number = try spaces.number(ofSpace: space)
        return try candidates(for: marks, besides: name.track, in: number).compactMap {
            try likeness(of: $0, to: marks, richness, isPart: isPart)
        }
    }

    private func candidates(
        for marks: TrackMarks,
        besides own: Identifier,
        in space: Int64
    ) throws -> [RowAddress] {
        try database.all(
            """
            SELECT id FROM track
            WHERE space = \(space) AND start
                BETWEEN \(marks.starts.lowerBound.milliseconds) AND
                \(marks.starts.upperBound.milliseconds) AND deleted = 0 AND standing = 0
                AND points > 0 AND id != \(own)
            ORDER BY abs(start - \(marks.times.lowerBound.milliseconds)), id
                LIMIT \(Self.candidateLimit)
            """
        ) { RowAddress(space: space, id: $0.id(0)) }
    }

    private func likeness(
        of place: RowAddress,
        to marks: TrackMarks,
        _ richness: Richness,
        isPart: Bool
    ) throws -> DuplicateTrack? {
        let graph = try projection.graph(of: place)
        let cells = graph.cells[place.id] ?? [:]
        let sum = try projection.total(of: graph.spans(of: place.id), by: TrackField.rule(cells))
        guard let times = sum.times else { return nil }
        var own = Richness()
        let likeness = try DuplicateDetector(of: marks, to: times, isPart: isPart) { hand in
            var cursor = try projection.batches(of: place.id, in: graph).cursor
            while let sample = try cursor.next() {
                own.add(sample)
                hand(sample)
            }
        }
        return try likeness.map {
            DuplicateTrack(
                track: place.id,
                shiftMilliseconds: $0.shiftMilliseconds,
                // Marks and edits belong to a person and refer to the samples of their own track.
                isCovered: try sum.missingCount == 0
                    && graph.status(of: place.id) == Track.Status.stopped.rawValue
                    && !graph.isEdited(place.id)
                    && richness.covers(own, shiftMilliseconds: $0.shiftMilliseconds)
                    && !self.marks.hasOwn(place)
            )
        }
    }

    /// Deletes a track and lets another take its place.
    ///
    /// A person's edits of the fields move to the new track. Imported fields move only if the new
    /// track lacks them.
    package func replace(
        _ old: Identifier,
        by new: Identifier,
        in space: Identifier,
        now: Moment
    ) throws {
        let number = try spaces.number(ofSpace: space)
        let cells = try rows.find(number, TrackField.collection, .id(old))?.cells ?? [:]
        let present = try rows.find(number, TrackField.collection, .id(new))?.cells ?? [:]
        let fields =
            TrackField.texts
            + [
                TrackField.zone, TrackField.filter, TrackField.device, TrackField.laps,
                TrackField.totals,
            ]
        let written = fields.compactMap { field -> Edit? in
            guard let cell = cells[field], cell.value != .null else { return nil }
            // Imported values describe their own file, so the new track keeps those that it has.
            let isOfFile = cell.stamp.time == Stamp.importTime
            guard !isOfFile || present[field] == nil else { return nil }
            return Edit(new, field, cell.value, origin: isOfFile ? .file : .person)
        }
        let deletion = Edit(old, FieldSchema.deleted.name, .bool(true))
        let clocks = Self.clocks(of: cells, on: present).map {
            [Edit(new, TrackField.start, $0.value)]
        }
        try rows.apply(written + (clocks ?? []) + [deletion], in: number, at: now)
    }

    /// Returns the new track's start with the old one's offset and time zone, or nil to keep its
    /// own.
    private static func clocks(of old: [Text: Cell], on new: [Text: Cell]) -> TrackStart? {
        guard let cell = old[TrackField.start], let told = TrackStart(cell.value),
            told.offset != nil || told.zone != nil,
            let own = TrackStart(new[TrackField.start]?.value),
            cell.stamp.time != Stamp.importTime || own.offset == nil
        else { return nil }
        return TrackStart(own.time, offset: told.offset, zone: told.zone)
    }
}
