import ProgramKit
import SyncCore

/// The replica that a command works on, and its person's own space.
struct Library: Sendable {
    /// The data folder.
    let folder: String
    let replica: Replica
    let space: Identifier
    /// What generic commands show of the rows of some collections.
    let presenters: [RowPresenter]

    /// Where the replica of a data folder lies.
    static func path(in folder: String) -> String { folder + "/replica.db" }

    /// What a setting of this person is.
    func value(of setting: Setting) async throws -> Value {
        let states = try await replica.read { try $0.settings.all(in: space) }
        return states.first { $0.setting.key == setting.key }?.value ?? setting.defaultValue
    }

    /// How this person wants measures to be shown.
    func preferences() async throws -> Preferences {
        Preferences(try await replica.read { try $0.settings.all(in: space) })
    }
}

extension Library {
    /// Tracks as they stand: of those whose recorder went away without a word, that it did.
    ///
    /// That no process is at them is known on this device alone, so it is told and not written.
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

    /// One track as it stands, deleted or superseded too; nil where there is none.
    func present(_ id: Identifier) async throws -> Track? {
        guard let track = try await replica.read({ try $0.tracks.find(id, in: space) }) else {
            return nil
        }
        return try await present([track]).first
    }

    /// The track that a recorder of this device would go on with; nil while one is running.
    func resumable() async throws -> Identifier? {
        guard !RecorderLock.isTaken(in: folder) else { return nil }
        return try await replica.read { try $0.recordings.unfinishedTracks(in: space) }.first
    }
}

extension Track {
    /// How to go on with a recording that was interrupted, as a message names it.
    static func resuming(_ name: String) -> String {
        "'wake record --resume --nmea …' continues \(name)"
    }
}

extension Context {
    /// Opens the replica in the data folder.
    ///
    /// While another program writes, the command waits for a minute and says so. A recorder waits
    /// only five seconds per attempt, because fixes keep arriving: it keeps them in memory and
    /// retries.
    func library(isRecording: Bool = false) async throws -> Library {
        let folder = try dataFolder()
        let path = Library.path(in: folder)
        let random = random
        do {
            let replica = try Replica(path: path, lockWait: lockWait(isRecording)) {
                var random = random
                return .random(using: &random)
            }
            return Library(
                folder: folder,
                replica: replica,
                space: try await replica.read { try $0.spaces.own() },
                presenters: presenters
            )
        } catch ReplicaError.missing {
            // In a folder that is another's, a file that is there cannot be seen.
            if let denied = Folder.denial(of: folder) { throw denied }
            throw UserError(
                .notFound,
                "no replica in \(folder)",
                hint: "'wake init' makes one; --data DIR names another folder"
            )
        } catch {
            var userError = UserError(describing: error)
            userError.message = "cannot open \(path): \(userError.message)"
            throw userError
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
