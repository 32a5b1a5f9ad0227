@testable import SyncCore

/// What lists of tracks must be, however tracks were split and joined.
extension World {
    /// What a device lists: tracks, and the samples that each shows.
    private struct Lists: Equatable, Sendable {
        var shown: [Track] = []
        var trash: [Track] = []
        var hidden: [Track] = []
        var names: [Identifier: [SampleName]] = [:]
        /// With those that edits leave out.
        var covered: Set<SampleName> = []
        /// Those that no edit leaves out, and that are not shown.
        var unseen: Set<SampleName> = []
        var originals: [Identifier: [UInt8]] = [:]
        var recorded: Set<SampleName> = []

        func difference(from other: Lists) -> String {
            let pairs = [(shown, other.shown), (trash, other.trash), (hidden, other.hidden)]
            for (own, others) in pairs where own != others {
                let mine = own.first { !others.contains($0) }
                let theirs = others.first { !own.contains($0) }
                return "\(mine as Any) instead of \(theirs as Any)"
            }
            guard names == other.names else { return "samples" }
            return originals == other.originals ? "recordings" : "files"
        }
    }

    /// All devices list the same, every sample belongs to one track of the list or the trash, and files
    /// are whole.
    ///
    /// A sample is in two tracks where a part goes on to the first of the next.
    func checkTracks(of devices: [SimulatedDevice], in space: Identifier) throws {
        var first: Lists?
        for device in devices {
            guard let lists = try lists(of: device, in: space) else { continue }
            guard first == nil || first == lists else {
                let difference = first.map { lists.difference(from: $0) } ?? ""
                throw fail(
                    "\(device.name) lists other tracks than \(devices[0].name): \(difference)"
                )
            }
            first = lists
        }
        guard let lists = first else { return }
        guard lists.covered.isSuperset(of: lists.recorded) else {
            throw fail("\(lists.recorded.subtracting(lists.covered).count) samples are in no list")
        }
        guard lists.unseen.isEmpty else {
            throw fail("\(lists.unseen.count) samples are not shown, and no edit leaves them out")
        }
        let doubled = doubledNames(in: lists)
        guard doubled.isEmpty else { throw fail("\(doubled.count) samples are shown twice") }
    }

    /// Samples that stand in two places where both the one before and the one after them do: elsewhere
    /// one ends a part and begins another.
    private func doubledNames(in lists: Lists) -> Set<SampleName> {
        var within: Set<SampleName> = []
        var doubled: Set<SampleName> = []
        for track in lists.shown {
            let names = lists.names[track.id] ?? []
            for (before, (name, after)) in zip(names, zip(names.dropFirst(), names.dropFirst(2)))
            where before.next == name && name.next == after {
                if !within.insert(name).inserted { doubled.insert(name) }
            }
        }
        return doubled
    }

    private func lists(of device: SimulatedDevice, in space: Identifier) throws -> Lists? {
        let wanted = try device.run {
            try await $0.read { try $0.chunks.wanted(of: space, limit: 1) }
        }
        guard wanted?.isEmpty == true else { return nil }
        return try device.run { replica in
            var lists = Lists()
            lists.shown = try await replica.read { try $0.tracks.all(in: space) }
            lists.trash = try await replica.read { try $0.tracks.all(in: space, deleted: true) }
            lists.hidden = try await replica.read { try $0.tracks.hidden(in: space) }
            for track in lists.shown + lists.trash {
                let id = track.id
                let names = try await replica.names(of: id, in: space)
                lists.names[id] = names
                let (all, leftOut) = try await replica.coveredNames(of: id, in: space)
                lists.covered.formUnion(all)
                lists.unseen.formUnion(all.subtracting(leftOut).subtracting(names))
                lists.originals[id] = try await replica.originalBytes(of: id, in: space)
            }
            lists.recorded = try await replica.recordedNames(in: space)
            return lists
        }
    }
}
