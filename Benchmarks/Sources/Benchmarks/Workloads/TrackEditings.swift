internal import SyncCore

/// What people do to a long track, one after the other; each is undone before the next.
struct TrackEditings {
    static let pointCount = 100_000

    private let device: Device
    private let track: Identifier
    /// The names of two of its points, far within.
    private let names: (first: SampleName, last: SampleName)

    /// Takes a track of ``pointCount`` points.
    init(of track: Identifier, on device: Device) async throws {
        (self.track, self.device) = (track, device)
        let space = device.space
        let found = try await device.replica.read { replica in
            var found: [SampleName] = []
            var index = 0
            try replica.editing.forEachSample(of: track, in: space) { named in
                if [Self.pointCount / 10, Self.pointCount / 2].contains(index) {
                    found.append(named.name)
                }
                index += 1
            }
            return found
        }
        guard found.count == 2 else { throw DeviceError.different("names") }
        names = (found[0], found[1])
    }

    /// Each, by what a person calls it, measured in some way, and what undoes it.
    func each(
        _ measure: (String, () async throws -> Void) async throws -> Void
    ) async throws {
        let range = SampleRange(from: names.first, to: names.last)
        let trim = Edit.trim(track, to: range)
        try await measure("trim") { try await write(trim) }
        try await measure("undo of that") { try await undo() }
        let hide = try await device.replica.read {
            $0.editing.hide([range], of: track, isBridged: false)
        }
        try await measure("hide") { try await write(hide) }
        try await undo()
        let cuts = [names.first, names.last]
        let split = try await device.replica.read {
            try $0.editing.split(track, before: cuts, in: device.space)
        }
        try await measure("split") { try await write(split.edits) }
        let join = try await device.replica.read {
            try $0.editing.join(split.tracks, in: device.space)
        }
        try await measure("join") { try await write(join.edits) }
        try await undo()
        try await undo()
    }

    private func write(_ edits: [Edit]) async throws {
        let now = device.now()
        try await device.replica.write {
            try $0.actions.write(edits, as: "an edit", in: device.space, at: now)
        }
    }

    private func undo() async throws {
        let undone = try await device.replica.write {
            try $0.actions.undo(in: device.space, at: device.now())
        }
        guard undone?.overtaken == 0 else { throw DeviceError.different("undo") }
    }
}
