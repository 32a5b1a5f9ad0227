import ProgramKit
import SyncCore

/// Tracks as the command line tells them.
extension Track {
    /// The members that every command gives a track; unknown is null, never 0.
    var members: [(String, JSON)] {
        [
            ("id", .text(id.description)),
            ("name", .text(name)),
            ("sport", .text(sport)),
            ("status", .text(status?.rawValue)),
            ("start", .time(start?.time)),
            ("finish", .time(finish)),
            ("utcOffset", utcOffset),
            ("zone", .text(start?.zone?.text)),
            ("samples", .integer(sampleCount)),
            ("points", missingChunkCount > 0 ? .null : .integer(pointCount)),
            ("distance", .number(knownDistanceMetres, decimals: 1)),
            ("missingChunks", .integer(missingChunkCount)),
        ]
    }

    /// Minutes, at the start.
    private var utcOffset: JSON {
        guard let start, let offset = start.offset(at: start.time) else { return .null }
        return .integer(offset.minutes)
    }

    /// Metres along the points, nil unless they are all here and there are some.
    var knownDistanceMetres: Double? {
        missingChunkCount > 0 || pointCount == 0 ? nil : distanceMetres
    }

    /// The name as messages and tables show it.
    var title: String { name.flatMap { $0.isEmpty ? nil : $0.withoutControls } ?? "(no name)" }

    /// The title, and how the recording stands where it did not end as it should, and the track where
    /// it is not shown.
    var titleAndStatus: String {
        let words = [
            status == .stopped ? nil : status?.rawValue, standing == .shown ? nil : standing.word,
        ]
        let told = words.compactMap { $0 }.joined(separator: ", ")
        return told.isEmpty ? title : "\(title) (\(told))"
    }

    /// The short id and the name, for messages.
    var label: String { "\(id.short) '\(title)'" }

    /// From start to finish; nil where one of them is not known.
    var elapsedMilliseconds: Int64? {
        guard let start, let finish else { return nil }
        // A hostile cell may begin at the start of all time.
        let (span, isTooLong) = finish.milliseconds
            .subtractingReportingOverflow(start.time.milliseconds)
        return isTooLong ? nil : span
    }

    /// The same in words.
    var elapsed: String { elapsedMilliseconds.map(Elapsed.text) ?? "–" }
}

extension JSON {
    /// An instant as RFC 3339 in UTC, or null.
    static func time(_ time: UnixTime?) -> JSON { .text(time?.iso8601) }

    /// A track with no other members.
    static func track(_ track: Track) -> JSON { .object([("track", .object(track.members))]) }

    /// A replicated value.
    static func value(_ value: Value) -> JSON {
        switch value {
        case .null: .null
        case .bool(let truth): .bool(truth)
        case .integer(let number): .integer(number)
        case .float(let number): .number(number, decimals: 9)
        case .text(let text): .text(text.string)
        case .bytes(let bytes): .text(bytes.hexadecimal)
        case .list(let values): .array(values.map { .value($0) })
        case .map(let values):
            .object(
                values.sorted { $0.key < $1.key }.map { ($0.key.string, .value($0.value)) }
            )
        }
    }
}

extension Library {
    /// The track whose id begins with a word, in the trash too and under others.
    func track(_ word: String) async throws -> Track {
        let row = try await row(word, in: .track, list: "wake tracks list")
        guard let track = try await present(row.name.id) else {
            throw UserError(.notFound, "no track '\(word)'", hint: "see 'wake tracks list'")
        }
        return track
    }

    /// What a person does to a track by writing a field, as a noun.
    private func words(for field: Text, _ value: Value, _ track: Track) async throws -> String {
        let change = Change(
            key: Key(CollectionSchema.track.name, .id(track.id), field),
            cell: Cell(stamp: Stamp(time: 0, replica: .zero), value: value)
        )
        let text = try await self.words(for: [change]).text(change).withoutControls
            .shortened(to: 60)
        return switch (field, value) {
        case (_, .null): "taking the \(field) away from \(track.label)"
        case (TrackField.name, _): "renaming of \(track.label) to '\(text)'"
        default: "setting of the \(field) of \(track.label) to '\(text)'"
        }
    }

    /// Writes one field of a track, which can be undone; returns the track after it, and whether
    /// anything changed.
    func write(
        _ field: Text,
        _ value: Value,
        to track: Track,
        at now: UnixTime
    ) async throws -> (track: Track, isChanged: Bool) {
        let count = try await replica.write(
            [Edit(track.id, field, value)],
            as: try await words(for: field, value, track),
            in: space,
            at: now
        )
        return (try await present(track.id) ?? track, count > 0)
    }
}
