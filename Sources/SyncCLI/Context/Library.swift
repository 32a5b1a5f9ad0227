import ProgramKit
import SyncCore

/// The replica that a command uses, with the space that it is for.
struct Library: Sendable {
    let folder: String
    let replica: Replica
    /// The space that the command is for: the own one, unless the person names a shared one.
    let space: Identifier
    /// The own space, which has the person's settings.
    let own: Identifier
    /// The presenters that generic commands use for rows of certain collections.
    let presenters: [RowPresenter]

    /// Returns a track as it is stored, even if deleted or superseded, or nil if unknown.
    func stored(_ id: Identifier) async throws -> Track? {
        try await replica.read { try $0.tracks.find(id, in: space) }
    }

    /// Returns the library of the space that has a track, or nil if none has it.
    func holding(_ track: Identifier) async throws -> Library? {
        let spaces = try await replica.read { try $0.spaces.all() }.map(\.id)
        let space = try await replica.read { parts in
            try spaces.first { try parts.tracks.find(track, in: $0) != nil }
        }
        return space.map(of)
    }

    /// Returns the library of another space of the replica.
    func of(_ space: Identifier) -> Library {
        Library(folder: folder, replica: replica, space: space, own: own, presenters: presenters)
    }

    /// Returns the cells of a track's row.
    func cells(of track: Identifier) async throws -> [Text: Cell] {
        try await replica.read { try $0.rows.cells(TrackField.collection, .id(track), in: space) }
    }

    /// Returns the path of the replica in a data folder.
    static func path(in folder: String) -> String { folder + "/replica.db" }

    /// Returns the value of a setting, or its default.
    func value(of setting: Setting) async throws -> Value {
        let states = try await replica.read { try $0.settings.all(in: own) }
        return states.first { $0.setting.key == setting.key }?.value ?? setting.defaultValue
    }

    /// Returns the display preferences.
    func preferences() async throws -> Preferences {
        Preferences(try await replica.read { try $0.settings.all(in: own) })
    }
}

extension Library {
    /// Creates the library of a space of a replica.
    ///
    /// - Parameter name: the name of a shared space, or the beginning of its id; nil for the own space.
    init(
        _ replica: Replica,
        in folder: String,
        space name: String? = nil,
        _ presenters: [RowPresenter]
    ) async throws {
        let own = try await replica.read { try $0.spaces.own() }
        var space: Identifier?
        if let name {
            let all = try await replica.read { try $0.sharedSpaces.all() }
            space = try SharedSpace.find(name, in: all).id
        }
        self.init(
            folder: folder,
            replica: replica,
            space: space ?? own,
            own: own,
            presenters: presenters
        )
    }

    /// Returns tracks with status interrupted if their recorder ended without stopping them.
    ///
    /// Only this device knows that no process records them, so the status is shown but not written.
    func present(_ tracks: [Track]) async throws -> [Track] {
        let isOpen = tracks.contains { $0.status == .recording || $0.status == .paused }
        guard isOpen, !RecorderLock.isTaken(in: folder) else { return tracks }
        let abandoned = try await replica.read { try $0.recordings.tracksBeingRecorded(in: space) }
        return tracks.map { track in
            var track = track
            if abandoned.contains(track.id) { track.status = .interrupted }
            return track
        }
    }

    /// Returns the current state of a track, even if deleted or superseded, or nil if unknown.
    func present(_ id: Identifier) async throws -> Track? {
        guard let track = try await stored(id) else { return nil }
        return try await present([track]).first
    }

    /// Returns the track that a recorder would resume, or nil while a recorder is running.
    func resumable() async throws -> Identifier? {
        guard !RecorderLock.isTaken(in: folder) else { return nil }
        return try await replica.read { try $0.recordings.unfinishedTracks(in: space) }.first
    }
}

extension Track {
    /// Returns the hint how to resume an interrupted recording.
    static func resuming(_ name: String) -> String {
        "'wake record --resume --nmea …' continues \(name)"
    }
}

extension Library {
    /// The words for changes that were stored and are lost.
    static let lostChanges =
        "the disk lost or damaged the end of the database's write-ahead log: the last changes "
        + "before that may be missing; make them again if they are"
}

extension Context {
    /// Opens the replica in the data folder.
    ///
    /// While another program writes, a command waits for up to a minute and says so. A recorder
    /// waits only five seconds per attempt: fixes keep arriving, so it buffers them and retries.
    func library(isRecording: Bool = false) async throws -> Library {
        let folder = try dataFolder()
        let path = Library.path(in: folder)
        let random = random
        do {
            let replica = try Replica(
                path: path,
                lockWait: lockWait(isRecording),
                newIdentifier: {
                    var random = random
                    return .random(using: &random)
                },
                clock: now
            )
            if replica.hasLostChanges { output.note(Library.lostChanges) }
            return try await Library(replica, in: folder, space: space, presenters)
        } catch let error as UserError {
            throw error
        } catch ReplicaError.missing {
            // Without permission for the folder, an existing replica looks as if it were missing.
            if let denied = Folder.denial(of: folder) { throw denied }
            throw UserError.notFound(
                "no replica in \(folder)",
                hint: "'wake init' creates one; --data DIR names another folder"
            )
        } catch {
            throw UserError(describing: error).prefixed(with: "cannot open \(path)")
        }
    }

    private func lockWait(_ isRecording: Bool) -> LockWait {
        guard !isRecording else { return LockWait() }
        let output = output
        return LockWait(limitMilliseconds: 60_000) {
            output.note("another program is writing to the replica; waiting up to a minute")
        }
    }
}
