import SyncCore

/// Describes writes to tracks with sample times and track names instead of ids.
struct TrackWords: Sendable {
    private let tracks: [Identifier: Track]
    private let times: [SampleName: UnixTime]
    private let preferences: Preferences

    /// Looks up all samples and tracks that the changes refer to.
    init(
        of changes: [Change],
        in replica: Replica,
        _ space: Identifier,
        _ preferences: Preferences
    ) async throws {
        self.preferences = preferences
        var tracks: [Identifier: Track] = [:]
        var times: [SampleName: UnixTime] = [:]
        let rows = Dictionary(
            grouping: changes.filter { $0.key.collection == CollectionSchema.track.name },
            by: \.key.row.id
        )
        for (row, changes) in rows {
            guard let row else { continue }
            let edits = changes.map(TrackEdits.init)
            for id in [row] + edits.flatMap(\.tracks) where tracks[id] == nil {
                tracks[id] = try await replica.read { try $0.tracks.find(id, in: space) }
            }
            let names = Set(edits.flatMap(\.ranges).flatMap(\.named))
            guard !names.isEmpty else { continue }
            let found = try await replica.read { try $0.editing.times(of: names, in: row, space) }
            times.merge(found) { first, _ in first }
        }
        (self.tracks, self.times) = (tracks, times)
    }

    /// Describes a write; returns nil if the write concerns neither or cannot be parsed.
    func text(_ change: Change) -> String? {
        let value = change.cell.value
        guard change.key.collection == CollectionSchema.track.name, value != .null else {
            return nil
        }
        return words(for: TrackEdits(change), of: change.key.row.id)
            ?? preferences.text(value, as: CollectionSchema.track.field(change.key.field)?.type)
    }

    private func label(_ id: Identifier) -> String { tracks[id]?.label ?? id.short }

    /// Returns a sort key: the start, then the name, which numbers the parts of a split.
    private func place(_ id: Identifier) -> (UnixTime, String) {
        let track = tracks[id]
        return (track?.start?.time ?? UnixTime(milliseconds: .max), track?.name ?? "~")
    }

    private func words(for edits: TrackEdits, of row: Identifier?) -> String? {
        let start = row.flatMap { tracks[$0]?.start }
        if edits.trim != SampleRange() { return words(for: edits.trim, start) }
        if let hiding = edits.hidings.values.first {
            let isOne = hiding.range.start.map { $0.next == hiding.range.end } ?? false
            let noun = hiding.isBridged ? isOne ? "fix " : "fixes " : "part "
            return words(for: hiding.range, start).map { noun + $0 } ?? "all"
        }
        if !edits.successors.isEmpty {
            return edits.successors.sorted { place($0) < place($1) }.map(label)
                .joined(separator: ", ")
        }
        guard let parts = edits.parts, !parts.isEmpty else { return nil }
        return parts.map { part in
            let range = words(for: part.range, start).map { " " + $0 } ?? ""
            return label(part.source) + range
        }
        .joined(separator: ", ")
    }

    /// Describes a range by its first and last sample in local time; returns nil for all samples.
    private func words(for range: SampleRange, _ start: TrackStart?) -> String? {
        switch (range.start, range.end) {
        case (nil, nil): nil
        case (let first?, nil): "from \(clock(first, start))"
        case (nil, let end?): last(before: end, start)
        case (let first?, let end?) where first.next == end: "at \(clock(first, start))"
        case (let first?, let end?): "from \(clock(first, start)) \(last(before: end, start))"
        }
    }

    /// Names the last sample of a half-open range, or its end if that sample has no known time.
    private func last(before end: SampleName, _ start: TrackStart?) -> String {
        guard let last = end.previous, times[last] != nil else {
            return "to before \(clock(end, start))"
        }
        return "to \(clock(last, start))"
    }

    private func clock(_ name: SampleName, _ start: TrackStart?) -> String {
        guard let time = times[name] else { return "sample \(name.index + 1)" }
        return preferences.clock(time, of: start)
    }
}

extension Preferences {
    /// Describes a start, a clock or an original file; returns nil for any other value.
    fileprivate func text(_ value: Value, as type: FieldType?) -> String? {
        switch type {
        case .structure(.start): TrackStart(value).map { text($0) }
        case .structure(.clocks):
            value.list.flatMap { TrackStart(.list([.integer(0)] + $0)) }
                .map { $0.zone?.text ?? $0.offset?.description ?? "(none)" }
        case .structure(.original): value.map?["name"]?.text
        default: nil
        }
    }
}

extension TrackEdits {
    fileprivate init(_ change: Change) { self.init([change.key.field: change.cell]) }

    fileprivate var ranges: [SampleRange] {
        [trim] + hidings.values.map(\.range) + (parts ?? []).map(\.range)
    }

    fileprivate var tracks: [Identifier] { successors + (parts ?? []).map(\.source) }
}

extension SampleRange {
    /// The samples whose times describe the range.
    fileprivate var named: [SampleName] { [start, end, end?.previous].compactMap { $0 } }
}

extension SampleName {
    /// The name of the preceding sample in the stream, or nil for the first.
    fileprivate var previous: SampleName? {
        index > 0 ? SampleName(stream: stream, index: index - 1) : nil
    }
}
