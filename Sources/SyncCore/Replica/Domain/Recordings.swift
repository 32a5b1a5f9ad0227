/// Where a recorder adds: its track, its run and the number of its next sample.
public struct Recording: Hashable, Sendable {
    /// The space of the track.
    public let space: Identifier
    /// The track.
    public let track: Identifier
    /// The next sample's name.
    package let next: SampleName

    package init(space: Identifier, track: Identifier, next: SampleName) {
        self.space = space
        self.track = track
        self.next = next
    }
}

/// Tracks while they are recorded.
public struct Recordings: ReplicaPart {
    /// What all parts share.
    public let context: ReplicaContext

    /// Begins a track that a recorder adds to; `start` is when it begins, if not now, and what the
    /// clocks show there.
    public func start(
        name: String?,
        sport: String?,
        start: TrackStart? = nil,
        in space: Identifier,
        at now: UnixTime
    ) throws -> Recording {
        let recording = newRecording(of: newIdentifier(), in: space)
        let row = Row.id(recording.track)
        var edits = [
            Edit(Key(TrackField.collection, row, TrackField.status), .text("recording")),
            Edit(
                Key(TrackField.collection, row, TrackField.start),
                (start ?? TrackStart(now)).value
            ),
        ]
        for (field, text) in [(TrackField.name, name), (TrackField.sport, sport)] {
            guard let text else { continue }
            edits.append(Edit(Key(TrackField.collection, row, field), .text(Text(text))))
        }
        try rows.write(edits, in: space, at: now)
        return recording
    }

    /// Goes on with a track, as a run of its own: what the earlier run left is packed first.
    public func resume(
        of track: Identifier,
        in space: Identifier,
        at now: UnixTime
    ) throws -> Recording {
        let place = RowAddress(space: try spaces.number(ofSpace: space), id: track)
        try packTail(of: place, at: now)
        try setStatus(.recording, of: place, at: now)
        return newRecording(of: track, in: space)
    }

    private func newRecording(of track: Identifier, in space: Identifier) -> Recording {
        let stream = UInt64(truncatingIfNeeded: newIdentifier().number)
        return Recording(space: space, track: track, next: SampleName(stream: stream, index: 0))
    }

    /// Adds samples, which are durable once the transaction commits; returns where the next ones go.
    ///
    /// A full tail is packed into a chunk.
    public func append(
        _ samples: [Sample],
        to recording: Recording,
        at now: UnixTime
    ) throws -> Recording {
        guard !samples.isEmpty else { return recording }
        let next = recording.next
        let place = try place(of: recording)
        for run in Chunk.split(samples) {
            try database.run(
                """
                INSERT INTO tail (space, track, stream, first, count, samples)
                VALUES (\(place.space), \(place.id), \(Int64(bitPattern: next.stream)),
                    \(next.index + run.samples.lowerBound), \(run.samples.count), \(run.bytes))
                """
            )
        }
        if try points.tailCount(of: place) >= Chunk.sampleLimit {
            try packTail(of: place, at: now)
        }
        let end = SampleName(stream: next.stream, index: next.index + samples.count)
        return Recording(space: recording.space, track: recording.track, next: end)
    }

    /// The time of the last fix of a track, and its greatest segment.
    package func recordedEnd(
        of track: Identifier,
        in space: Identifier
    ) throws -> (lastFix: UnixTime?, segment: Int64) {
        let place = RowAddress(space: try spaces.number(ofSpace: space), id: track)
        var cursor = try projection.recordedBatches(of: place).cursor
        var (lastFix, segment): (UnixTime?, Int64) = (nil, 0)
        while let sample = try cursor.next() {
            if sample.isPoint { lastFix = sample.time ?? lastFix }
            segment = max(segment, sample[count: .segment] ?? 0)
        }
        return (lastFix, segment)
    }

    /// Ends a recording: the rest is packed, and the track says how it ended.
    public func stop(
        _ recording: Recording,
        as status: Track.Status = .stopped,
        at now: UnixTime
    ) throws {
        let place = try place(of: recording)
        try packTail(of: place, at: now)
        try setStatus(status, of: place, at: now)
    }

    /// Packs what recorders left that are not there any more; returns their tracks.
    ///
    /// Only right while no recorder runs on this file.
    @discardableResult
    public func packInterrupted(at now: UnixTime) throws -> [Identifier] {
        let places = try database.all(
            """
            SELECT space, track FROM tail UNION
            SELECT space, id FROM track WHERE status IN ('recording', 'paused')
            """
        ) { RowAddress(space: $0.integer(0), id: $0.id(1)) }
        return try places.filter { place in
            let isOwn = try wasRecordedHere(place)
            guard isOwn else { return false }
            try packTail(of: place, at: now)
            try setStatus(.interrupted, of: place, at: now)
            return true
        }
        .map(\.id)
    }

    /// Whether the present state of a track's recording was written by this database.
    private func wasRecordedHere(_ place: RowAddress) throws -> Bool {
        if try points.tailCount(of: place) > 0 { return true }
        let status = try rows.find(place.space, TrackField.collection, .id(place.id))?
            .cell(TrackField.status)
        return try status.map { try wasOurs($0.stamp.replica) } ?? false
    }

    /// Whether a replica id is, or was before a rename, the one of this database.
    private func wasOurs(_ replica: Identifier) throws -> Bool {
        if try identity.loadClock().replica == replica { return true }
        return try database.first(
            """
            SELECT 1 FROM sealed q JOIN replica r ON r.number = q.replica
            WHERE r.id = \(replica) AND q.own = 1 LIMIT 1
            """
        ) { _ in true } ?? false
    }

    /// The tracks whose recording did not end, the latest first.
    package func unfinishedTracks(in space: Identifier) throws -> [Identifier] {
        let number = try spaces.number(ofSpace: space)
        return try database.all(
            """
            SELECT id FROM track WHERE space = \(number) AND deleted = 0
                AND status IN ('recording', 'paused', 'interrupted') ORDER BY start DESC
            """
        ) { RowAddress(space: number, id: $0.id(0)) }
        .filter { try wasRecordedHere($0) }
        .map(\.id)
    }

    /// The tracks of which it is written that a recorder of this device adds to them, or waits.
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

    private func setStatus(
        _ status: Track.Status,
        of place: RowAddress,
        at now: UnixTime
    ) throws {
        let key = Key(TrackField.collection, .id(place.id), TrackField.status)
        try rows.apply([Edit(key, .text(Text(status.rawValue)))], in: place.space, at: now)
    }

    /// Where a recording is now: a device's own space gets another id when the device joins its
    /// person's, and a recorder goes on meanwhile.
    func place(of recording: Recording) throws -> RowAddress {
        do {
            return RowAddress(
                space: try spaces.number(ofSpace: recording.space),
                id: recording.track
            )
        } catch ReplicaError.unknownSpace {
            return RowAddress(
                space: try spaces.number(ofSpace: try spaces.own()),
                id: recording.track
            )
        }
    }

    /// Turns the tail of a track into chunks and the cells that name them.
    private func packTail(of place: RowAddress, at now: UnixTime) throws {
        var edits: [Edit] = []
        for run in try points.tail(of: place) {
            edits += try points.pack(run.samples, from: run.first, into: place) {
                .recorder(sampleCount: $0)
            }
        }
        guard !edits.isEmpty else { return }
        try rows.apply(edits, in: place.space, at: now)
        try database.run("DELETE FROM tail WHERE space = \(place.space) AND track = \(place.id)")
    }

    /// How a recording stands; somebody else may have written that it pauses or ends.
    package func status(of recording: Recording) throws -> Track.Status? {
        let place = try place(of: recording)
        let row = try rows.find(place.space, TrackField.collection, .id(place.id))
        return row?.cell(TrackField.status)?.value.text.flatMap(Track.Status.init)
    }
}

extension ReplicaPart {
    /// Tracks while they are recorded.
    public var recordings: Recordings { Recordings(context: context) }
}
