import ProgramKit
import SyncCore

struct TrackEditing: Sendable {
    let track: Track
    let library: Library
    let context: Context

    /// Writes edits and reports the result: the track itself, or the tracks that replace it.
    func finish(
        _ edits: [Edit],
        as words: String,
        tracks: [Identifier] = [],
        _ text: (Track) -> String
    ) async throws -> ExitCode {
        let count = try await library.perform(edits, as: words, at: context.moment())
        let preferences = try await library.preferences()
        var after: [Track] = []
        for id in tracks.isEmpty ? [track.id] : tracks {
            if let found = try await library.present(id) { after.append(found) }
        }
        context.output.result(.object([("tracks", .array(after.map { .object($0.members) }))])) {
            let state = count == 0 ? ", unchanged" : ""
            let lines = after.map {
                "  \($0.label): \($0.elapsed), \(preferences.distance($0.knownDistanceMetres))\n"
            }
            return text(track) + state + "\n" + lines.joined()
        }
        return .success
    }

    /// Checks that edits would leave samples of the track, and returns their number.
    ///
    /// - Parameter hint: an alternative to deleting the track.
    @discardableResult
    func checkRest(after edits: [Edit], hint: String? = nil) async throws -> Int {
        let count = try await count(after: edits)
        guard count > 0 else {
            throw UserError.failure(
                "this would leave nothing of \(track.label)",
                hint: hint ?? "'wake tracks delete \(track.id.short)' moves it to the trash"
            )
        }
        return count
    }

    /// Checks that edits would leave samples of the track and would remove some.
    func check(_ edits: [Edit]) async throws {
        guard try await checkRest(after: edits) != count(after: []) else {
            throw nothing("there that is not left out already")
        }
    }

    private func count(after edits: [Edit]) async throws -> Int {
        try await library.replica.read {
            try $0.editing.shownCount(of: track.id, after: edits, in: library.space)
        }
    }

    /// Returns the error for a place or time range that holds nothing to edit.
    func nothing(_ place: String, of times: ClosedRange<UnixTime>? = nil) -> UserError {
        guard let start = track.start, let finish = times?.upperBound ?? track.finish else {
            return .failure("\(track.label) has nothing \(place)", hint: "its points have no times")
        }
        let preferences = Preferences()
        return UserError.failure(
            "\(track.label) has nothing \(place)",
            hint: "it lasts from \(preferences.time(times?.lowerBound ?? start.time, of: start)) "
                + "to \(preferences.time(finish, of: start))"
        )
    }

    /// Returns the fixes that the filter flags, each as a range of one sample.
    func flagged() async throws -> [SampleRange] {
        let rule = TrackField.rule(try await library.cells(of: track.id))
        let ranges = try await library.replica.read { replica in
            var filter = FixFilter(rule)
            var names: [SampleName] = []
            var flagged: [SampleName] = []
            func take() {
                while let judged = filter.next() {
                    if judged.flag != nil { flagged.append(names[judged.index]) }
                }
            }
            try replica.editing.forEachSample(of: track.id, in: library.space) { named in
                if named.sample.isPoint { names.append(named.name) }
                filter.add(named.sample)
                take()
            }
            filter.end()
            take()
            return SampleRange.ranges(of: flagged)
        }
        guard !ranges.isEmpty else { throw nothing("that is flagged") }
        return ranges
    }
}

extension TrackEditing {
    /// Finds the track that the arguments name.
    init(_ arguments: Arguments, _ context: Context) async throws {
        let library = try await context.library()
        let track = try await library.shownTrack(arguments.required("ID"))
        self.init(track: track, library: library, context: context)
    }
}

extension Library {
    /// Returns the track whose id begins with `word`, for editing: neither in the trash nor hidden.
    func shownTrack(_ word: String) async throws -> Track {
        let track = try await track(word)
        if track.isDeleted {
            throw UserError.failure(
                "\(track.label) is in the trash",
                hint: "'wake restore \(track.id.short)' restores it"
            )
        }
        guard track.standing == .shown else {
            throw UserError.failure(
                "\(track.label) is not shown: \(track.standing.words)",
                hint: "'wake tracks list' lists the tracks that are shown"
            )
        }
        return track
    }
}
