/// The append position of a recorder: a track and the name of the next sample.
public struct Recording: Hashable, Sendable {
    /// The space of the track.
    public let space: Identifier
    /// The track.
    public let track: Identifier
    package let next: SampleName
}

/// Tracks while they are recorded.
public struct Recordings: ReplicaPart {
    /// The context that all parts share.
    public let context: ReplicaContext

    /// Starts a track that a recorder appends to.
    ///
    /// The track begins at `start`, with its time zone, or now if `start` is nil. It is in the own space
    /// if the named one is not on this device any more: a recorder may have waited long for its first fix.
    public func start(
        name: String?,
        sport: String?,
        start: TrackStart? = nil,
        in space: Identifier,
        at now: Moment
    ) throws -> Recording {
        let space = try spaces.isStored(space) ? space : try spaces.own()
        let new = try rows.new(TrackField.collection, in: space)
        let recording = newRecording(of: new.id, in: space)
        let track = recording.track
        var edits =
            new.edits + [
                Edit(track, TrackField.status, .text("recording")),
                Edit(track, TrackField.start, (start ?? TrackStart(now.wall)).value),
            ]
        for (field, text) in [(TrackField.name, name), (TrackField.sport, sport)] {
            if let text { edits.append(Edit(track, field, .text(Text(text)))) }
        }
        try rows.write(edits, in: space, at: now)
        return recording
    }

    /// Resumes a track with a new stream; the samples of the earlier run are packed first.
    public func resume(
        of track: Identifier,
        in space: Identifier,
        at now: Moment
    ) throws -> Recording {
        let place = try address(track, in: space)
        try packTail(of: place, at: now)
        try setStatus(.recording, of: place, at: now)
        return newRecording(of: track, in: space)
    }

    private func newRecording(of track: Identifier, in space: Identifier) -> Recording {
        let stream = UInt64(truncatingIfNeeded: newIdentifier().number)
        return Recording(space: space, track: track, next: SampleName(stream: stream, index: 0))
    }

    /// Appends samples and returns the next append position.
    ///
    /// The samples are durable once the transaction commits. A full tail is packed into a chunk.
    public func append(
        _ samples: some Collection<Sample>,
        to recording: Recording,
        at now: Moment
    ) throws -> Recording {
        guard !samples.isEmpty else { return recording }
        let next = recording.next
        let place = try place(of: recording)
        var first = next.index
        for run in Chunk.split(samples) {
            let name = SampleName(stream: next.stream, index: first)
            try points.appendTail(run.bytes, count: run.samples.count, from: name, to: place)
            first += run.samples.count
        }
        if try points.tailCount(of: place) >= Chunk.sampleLimit { try packTail(of: place, at: now) }
        let end = SampleName(stream: next.stream, index: next.index + samples.count)
        return Recording(space: recording.space, track: recording.track, next: end)
    }

    /// Returns the time of the last fix of a track and its greatest segment number.
    package func recordedEnd(
        of track: Identifier,
        in space: Identifier
    ) throws -> (lastFix: UnixTime?, segment: Int64) {
        let place = try address(track, in: space)
        var cursor = try projection.recordedBatches(of: place).cursor
        var (lastFix, segment): (UnixTime?, Int64) = (nil, 0)
        while let sample = try cursor.next() {
            if sample.isPoint { lastFix = sample.time ?? lastFix }
            segment = max(segment, sample[count: .segment] ?? 0)
        }
        return (lastFix, segment)
    }

    /// Ends a recording: packs the remaining samples and sets the status.
    public func stop(
        _ recording: Recording,
        as status: Track.Status = .stopped,
        at now: Moment
    ) throws {
        let place = try place(of: recording)
        try packTail(of: place, at: now)
        try setStatus(status, of: place, at: now)
    }

    /// Packs the samples of recorders that no longer run, and returns their tracks.
    ///
    /// Marks the tracks as interrupted. Call it only while no recorder runs on this file.
    @discardableResult
    public func packInterrupted(at now: Moment) throws -> [Identifier] {
        let places = try database.all(
            """
            SELECT space, track FROM tail WHERE lost = 0 UNION
            SELECT space, id FROM track WHERE status IN ('recording', 'paused')
            """
        ) { RowAddress(space: $0.integer(0), id: $0.id(1)) }
        return try places.filter { place in
            guard try wasRecordedHere(place) else { return false }
            try packTail(of: place, at: now)
            try setStatus(.interrupted, of: place, at: now)
            return true
        }
        .map(\.id)
    }

    /// Returns whether this database wrote the present state of a track's recording.
    private func wasRecordedHere(_ place: RowAddress) throws -> Bool {
        if try points.tailCount(of: place) > 0 { return true }
        let status = try rows.find(place.space, TrackField.collection, .id(place.id))?
            .cell(TrackField.status)
        return try status.map { try wasOurs($0.stamp.replica) } ?? false
    }

    /// Returns whether this database has the replica id, or had it before a rename.
    private func wasOurs(_ replica: Identifier) throws -> Bool {
        if try identity.loadClock().replica == replica { return true }
        return try database.first(
            """
            SELECT 1 FROM sealed q JOIN replica r ON r.number = q.replica
            WHERE r.id = \(replica) AND q.own = 1 LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// Returns the tracks that this database recorded and did not end, the latest first.
    ///
    /// - Parameter includesDeletedElsewhere: whether to include those that another device moved to
    ///   the trash, perhaps while they were recorded.
    package func unfinishedTracks(
        in space: Identifier,
        includesDeletedElsewhere: Bool = false
    ) throws -> [Identifier] {
        let number = try spaces.number(ofSpace: space)
        return try database.all(
            """
            SELECT id, deleted FROM track WHERE space = \(number)
                AND deleted <= \(includesDeletedElsewhere ? 1 : 0)
                AND status IN ('recording', 'paused', 'interrupted') ORDER BY start DESC
            """
        ) { (place: RowAddress(space: number, id: $0.id(0)), isDeleted: $0.integer(1) == 1) }
        .filter { try wasRecordedHere($0.place) && !($0.isDeleted && wasDeletedHere($0.place)) }
        .map(\.place.id)
    }

    private func wasDeletedHere(_ place: RowAddress) throws -> Bool {
        let deletion = try rows.find(place.space, TrackField.collection, .id(place.id))?
            .cell(FieldSchema.deleted.name)
        return try deletion.map { try wasOurs($0.stamp.replica) } ?? false
    }

    /// Returns the tracks that a recorder of this device appends to, or has paused.
    ///
    /// A track that was made from such a recording counts too, if new samples go to it.
    package func tracksBeingRecorded(in space: Identifier) throws -> Set<Identifier> {
        let number = try spaces.number(ofSpace: space)
        let places = try database.all(
            "SELECT id FROM track WHERE space = \(number) AND status IN ('recording', 'paused')"
        ) { RowAddress(space: number, id: $0.id(0)) }
        let own = try places.filter { place in
            guard let source = try projection.graph(of: place).openRecording(of: place.id) else {
                return false
            }
            return try wasRecordedHere(RowAddress(space: number, id: source))
        }
        return Set(own.map(\.id))
    }

    private func setStatus(_ status: Track.Status, of place: RowAddress, at now: Moment) throws {
        let edit = Edit(place.id, TrackField.status, .text(Text(status.rawValue)))
        try rows.apply([edit], in: place.space, at: now)
    }

    /// Returns the present address of a recording.
    ///
    /// While a recorder goes on, the device may join a server, and its own space gets the id of its user's
    /// space; or it may leave a shared space.
    func place(of recording: Recording) throws -> RowAddress {
        let isHere = try spaces.isStored(recording.space)
        return try address(recording.track, in: isHere ? recording.space : try spaces.own())
    }

    /// Packs the tail of a track into chunks and writes the cells that name them.
    private func packTail(of place: RowAddress, at now: Moment) throws {
        var edits: [Edit] = []
        let rule = try projection.rule(of: place)
        for run in try points.tail(of: place) {
            let chunks = PackedChunk.pack(run.samples)
            edits += try points.insert(chunks, from: run.first, into: place, by: rule) {
                .recorder(sampleCount: $0)
            }
        }
        guard !edits.isEmpty else { return }
        try rows.apply(edits, in: place.space, at: now)
        try points.deleteTail(of: place)
    }

    /// Returns what another process or device may have changed of a recording.
    package func state(
        of recording: Recording
    ) throws -> (status: Track.Status?, isDeleted: Bool) {
        let place = try place(of: recording)
        let row = try rows.find(place.space, TrackField.collection, .id(place.id))
        return (
            row?.cell(TrackField.status)?.value.text.flatMap(Track.Status.init),
            row?.isDeleted ?? false
        )
    }
}
