import ProgramKit
import SyncCore

/// Imports files one by one; an error in a file becomes part of its result.
struct Importer: Sendable {
    let library: Library
    let mode: ImportMode
    let context: Context
    /// The state of a dry run, or nil if this is none.
    var dryRun: DryRun?
    /// Whether the user interrupted: reading stops, and further results are invalid.
    var isOver: @Sendable () -> Bool = { false }

    /// Imports a file, all entries of an archive, or standard input for `-`.
    ///
    /// Passes on each result as soon as it is complete.
    func take(_ path: String, isNamed: Bool, _ hand: (ImportResult) -> Void) async {
        do {
            var source =
                path == "-" ? ByteSource(standardInputOf: context) : try ByteSource(path)
            source.stop(when: isOver)
            if try Archive.Kind(head: source.peek(Archive.Kind.headSize)) == .zip {
                try await takeEntries(of: source, isNamed: isNamed, hand)
            } else {
                hand(await take(source, as: path, isNamed: isNamed))
            }
        } catch {
            var result = ImportResult(file: path, isDry: mode.isDry, isNamed: isNamed)
            result.userError = Self.userError(error, of: path)
            hand(result)
        }
    }

    private func takeEntries(
        of source: ByteSource,
        isNamed: Bool,
        _ hand: (ImportResult) -> Void
    ) async throws {
        let archive = try Archive(.zip, source)
        var isEmpty = true
        while !isOver(), let entry = try archive.nextEntry() {
            let name = "\(source.name): \(entry.path)"
            let bytes = ByteSource(
                name: name,
                fileName: ByteSource.fileName(of: entry.path),
                next: {
                    guard !entry.isEncrypted else { throw ArchiveError.encrypted }
                    return try archive.next()
                }
            )
            let result = await take(bytes, as: name, isNamed: false)
            isEmpty = isEmpty && result.isNoRecording
            hand(result)
        }
        guard isEmpty, isNamed else { return }
        throw UserError.failure("\(source.name): the archive contains no recording")
    }

    private func take(_ source: ByteSource, as file: String, isNamed: Bool) async -> ImportResult {
        var result = ImportResult(file: file, isDry: mode.isDry, isNamed: isNamed)
        do {
            let packer = mode.keepsOriginals && !mode.isDry ? OriginalPacker() : nil
            let recording = try RecordingFile(source.unpacked(), keptBy: packer, context)
            try await take(recording, into: &result)
            if result.tracks.isEmpty, result.places.isEmpty {
                throw UserError.failure("\(source.name): it contains no track and no place")
            }
        } catch let error as NoRecording {
            result.isNoRecording = true
            result.userError = error.userError
        } catch {
            result.userError = Self.userError(error, of: source.name)
            result.isOurFault = error is DatabaseError || error is ReplicaError
        }
        return result
    }

    private func take(_ recording: RecordingFile, into result: inout ImportResult) async throws {
        result.remark = recording.remark
        result.isNoRecording = recording.isNoRecording
        let tracks = recording.tracks.enumerated().filter { !$0.element.samples.isEmpty }
        try note(recording, tracks.map(\.element), in: &result)
        var holder: Identifier?
        for (place, track) in tracks {
            let name = try await library.replica.read {
                try $0.imports.name(file: recording.digest, place: place, in: library.space)
            }
            let original = recording.original.map { OriginalUse($0, holder: holder ?? name.track) }
            // The damage cut the last track short.
            let isPart = recording.isCut && place == tracks.last?.offset
            let entry = try await take(track, as: name, of: original, isPart: isPart)
            result.tracks.append(entry)
            if holder == nil {
                let kept = try await library.replica.read {
                    try $0.originals.find(of: name.track, in: library.space)
                }
                holder = kept?.holder
            }
        }
        try await take(recording.waypoints, of: tracks.map(\.element), into: &result)
    }

    /// Notes damage in the result; throws if nothing of the file is to be imported.
    private func note(
        _ recording: RecordingFile,
        _ tracks: [ImportedTrack],
        in result: inout ImportResult
    ) throws {
        guard let damage = recording.damage else { return }
        let count = tracks.reduce(0) { $0 + $1.samples.count }
        let places = recording.waypoints.count
        guard mode.salvages, count + places > 0 else {
            throw UserError(
                damage.code,
                damage.message,
                hint: count + places == 0
                    ? damage.hint
                    : "'wake import --salvage' imports the "
                        + (count > 0 ? count.counted("sample") : places.counted("place")) + " "
                        + (recording.isCut ? "before the damage" : "that can be read")
            )
        }
        (result.damage, result.isCut) = (damage.message, recording.isCut)
    }

    /// Imports waypoints: those from the time of a track as its marks, the others as places.
    private func take(
        _ waypoints: [ImportedWaypoint],
        of tracks: [ImportedTrack],
        into result: inout ImportResult
    ) async throws {
        guard !waypoints.isEmpty else { return }
        let (places, notes) = Self.sort(waypoints, by: tracks.map(\.span))
        try await takeMarks(notes, into: &result)
        let (replica, space) = (library.replica, library.space)
        let now = context.moment()
        let rows =
            mode.isDry
            ? try await replica.read { try $0.places.preview(places, in: space) }
            : try await replica.write { try $0.places.insert(places, into: space, now: now) }
        result.places = zip(places, rows).map { ($0.name, $1) }
    }

    /// Separates places from notes, which are keyed by the index of their track.
    private static func sort(
        _ waypoints: [ImportedWaypoint],
        by spans: [ClosedRange<UnixTime>?]
    ) -> (places: [ImportedWaypoint], notes: [Int: [ImportedWaypoint]]) {
        var places: [ImportedWaypoint] = []
        var notes: [Int: [ImportedWaypoint]] = [:]
        for waypoint in waypoints {
            if let time = waypoint.time,
                let index = spans.firstIndex(where: { $0?.contains(time) ?? false })
            {
                notes[index, default: []].append(waypoint)
            } else {
                places.append(waypoint)
            }
        }
        return (places, notes)
    }

    private func takeMarks(
        _ notes: [Int: [ImportedWaypoint]],
        into result: inout ImportResult
    ) async throws {
        let (replica, space) = (library.replica, library.space)
        let now = context.moment()
        for (index, waypoints) in notes {
            let entry = result.tracks[index]
            if entry.isSkipped {
                result.leftOutMarkCount += waypoints.count
            } else if mode.isDry {
                result.markCount += entry.row.isNew ? waypoints.count : 0
            } else {
                result.markCount += try await replica.write {
                    try $0.marks.insert(waypoints, on: entry.row.track, in: space, now: now)
                }
            }
        }
    }

    private static func userError(_ error: any Error, of file: String) -> UserError {
        switch error {
        case let error as ArchiveError: return UserError(file, error)
        case is DatabaseError, is ReplicaError:
            var userError = UserError(describing: error).prefixed(with: "cannot import \(file)")
            userError.code = .failure
            return userError
        default: return UserError(describing: error)
        }
    }
}

/// Importing one track.
extension Importer {
    private func take(
        _ track: ImportedTrack,
        as name: ImportName,
        of original: OriginalUse?,
        isPart: Bool
    ) async throws -> ImportResult.Entry {
        let (found, home) = try await known(name)
        // Known tracks were checked for duplicates when they were imported.
        let alike = found.isNew ? try await alike(track, as: name, isPart: isPart) : []
        let isSkipped =
            mode.onDuplicate == .skip && alike.contains { $0.resolution != .outgrown }
        let row =
            isSkipped
            ? found : try await keep(track, as: name, of: original, found, replacing: alike)
        let restored =
            found.isNew || mode.isDry ? 0 : try await storeWanted(of: track, as: name, of: original)
        let isReplaced = await dryRun?.replaced.contains(row.track) == true
        return ImportResult.Entry(
            row: row,
            track: row.isNew && mode.isDry ? nil : try await home.stored(row.track),
            name: track.name,
            sampleCount: track.samples.count,
            isDeleted: row.isDeleted || isReplaced,
            restoredChunkCount: restored,
            isPart: isPart,
            alike: alike,
            isSkipped: isSkipped
        )
    }

    private func storeWanted(
        of track: ImportedTrack,
        as name: ImportName,
        of original: OriginalUse?
    ) async throws -> Int {
        try await library.replica.write { [space = library.space] in
            try $0.imports.storeWanted(of: track, as: name, of: original, in: space)
        }
    }

    /// Returns the row of a track and the library that holds it, which may be that of the dry run.
    private func known(_ name: ImportName) async throws -> (row: ImportedRow, home: Library) {
        let known = try await library.replica.read {
            try $0.imports.preview(name, in: library.space)
        }
        guard known.isNew, let tried = dryRun?.library else { return (known, library) }
        let row = try await tried.replica.read { try $0.imports.preview(name, in: tried.space) }
        return (row, tried)
    }

    /// Imports a track if it is new, and keeps its original file if it is not kept yet.
    ///
    /// The tracks that a new one replaces move to the trash.
    private func keep(
        _ track: ImportedTrack,
        as name: ImportName,
        of original: OriginalUse?,
        _ row: ImportedRow,
        replacing alike: [ImportResult.Alike]
    ) async throws -> ImportedRow {
        let (replica, space) = (library.replica, library.space)
        let replaced = alike.filter(\.isReplaced).map(\.track.id)
        let now = context.moment()
        guard row.isNew else {
            guard let original else { return row }
            try await replica.write {
                try $0.originals.keep(original, of: row.track, in: space, now: now)
            }
            return row
        }
        guard !mode.isDry else {
            try await dryRun?.take(track, as: name, replacing: replaced, now: now)
            return row
        }
        return try await replica.write {
            let row = try $0.imports.insert(track, as: name, of: original, into: space, now: now)
            for old in replaced { try $0.imports.replace(old, by: row.track, in: space, now: now) }
            return row
        }
    }

    private func alike(
        _ track: ImportedTrack,
        as name: ImportName,
        isPart: Bool
    ) async throws -> [ImportResult.Alike] {
        var alike = try await alike(track, as: name, isPart: isPart, in: library)
        guard let dryRun else { return alike }
        alike += try await self.alike(track, as: name, isPart: isPart, in: dryRun.library)
        let replaced = await dryRun.replaced
        let unknown = UnixTime(milliseconds: 0)
        let start = track.start?.time ?? unknown
        func distance(_ alike: ImportResult.Alike) -> UInt64 {
            start.distanceMilliseconds(to: alike.track.start?.time ?? unknown)
        }
        return alike.filter { !replaced.contains($0.track.id) }
            .sorted { distance($0) < distance($1) }
    }

    private func alike(
        _ track: ImportedTrack,
        as name: ImportName,
        isPart: Bool,
        in library: Library
    ) async throws -> [ImportResult.Alike] {
        let (replica, space) = (library.replica, library.space)
        let outgrown =
            mode.followsGrowth
            ? try await replica.read {
                try $0.imports.superseded(outgrownBy: track, as: name, in: space)
            } : []
        let others = try await replica.read {
            try $0.imports.duplicates(like: track, as: name, isPart: isPart, in: space)
        }
        .filter { other in !outgrown.contains { $0.track == other.track } }
        let resolved: [(DuplicateTrack, ImportResult.Resolution)] =
            outgrown.map { ($0, .outgrown) } + others.map { ($0, resolution(of: $0)) }
        var alike: [ImportResult.Alike] = []
        for (found, resolution) in resolved {
            guard let track = try await library.stored(found.track) else { continue }
            alike.append(ImportResult.Alike(found: found, track: track, resolution: resolution))
        }
        return alike
    }

    private func resolution(of alike: DuplicateTrack) -> ImportResult.Resolution {
        guard mode.onDuplicate == .replace else { return .kept }
        return alike.isCovered ? .replaced : .keptForMore
    }
}

extension ImportedTrack {
    /// The range of plausible times, or nil if there are none.
    fileprivate var span: ClosedRange<UnixTime>? {
        samples.chunks.compactMap(\.summary.filtered?.times).reduce(nil) { span, times in
            let first = min(span?.lowerBound ?? times.lowerBound, times.lowerBound)
            return first...max(span?.upperBound ?? times.upperBound, times.upperBound)
        }
    }
}
