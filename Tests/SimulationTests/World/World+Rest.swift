import SimulatedDisk
@testable import SyncCore
@testable import SyncServer

extension World {
    /// So many rounds of syncs bring any world to rest.
    private static let roundLimit = 12
    /// A log that was lost comes back in several.
    private static let healingRoundLimit = 20
    /// After so many rounds the operator does what devices tell their persons to ask for.
    private static let operatorRound = 6

    /// Accidents end, and everybody syncs until there is nothing new.
    func comeToRest() throws {
        weather = .calm
        try calmDisks()
        for device in devices { try finishWork(of: device) }
        let limit = losesHistory ? Self.healingRoundLimit : Self.roundLimit
        for round in 1...limit {
            trace.note("round \(round)")
            time.advance(by: 600_000)
            var isQuiet = true
            var revived: Identifier?
            for device in devices where !device.isGone {
                try renewLink(of: device)
                try letBackIn(device)
                guard let result = try syncIfIn(device) else { isQuiet = false; continue }
                trace.note("  \(device.name): \(result.end) +\(result.pushed) -\(result.pulled)")
                revived = result.revived ?? revived
                device.isKeptOut = Self.isKeptOut(result)
                guard result.end == .complete else { isQuiet = false; continue }
                if try decideHeld(on: device) { isQuiet = false }
                if result.pushed + result.pulled + result.chunks > 0 { isQuiet = false }
            }
            if let revived, round == Self.operatorRound { try shutOut(revived) }
            if isQuiet { return }
        }
        throw fail("no rest after \(limit) rounds")
    }

    /// Whether the server does not know a device, whose person then lets it in again.
    private static func isKeptOut(_ result: SyncResult) -> Bool {
        guard case .refused(let refusal) = result.end else { return false }
        return refusal.type == .unauthorized
    }

    /// One sync; nil where a device cannot join because nobody could make a link for it yet.
    private func syncIfIn(_ device: SimulatedDevice) throws -> SyncResult? {
        guard device.rejoining != nil || device.link != nil,
            !schedule.accidents.isDisjoint(with: [.history, .devices])
        else { return try syncAlone(device) }
        do {
            return try syncAlone(device)
        } catch is ServerProblem {
            trace.note("  \(device.name) is not let in")
        } catch EnrolmentError.refused(ProblemType.sequenceGap.rawValue)
            where losesHistory
        {
            trace.note("  \(device.name) waits for lost control sets")
        } catch EnrolmentError.otherHistory where losesHistory {
            // Its link was made after a control set that the server lost.
            trace.note("  \(device.name) needs another link")
            device.isKeptOut = true
        }
        return nil
    }

    /// A person decides on the sets that the server holds for them; returns whether there were any.
    private func decideHeld(on device: SimulatedDevice) throws -> Bool {
        guard let store = server.store else { return false }
        let now = device.clock.moment
        let decided = try device.run { replica in
            let (id, space) = try await replica.read {
                (try $0.identity.current().device, try $0.spaces.own())
            }
            let entries = try await store.held(in: space, for: id, byteLimit: .max)
            guard !entries.isEmpty else { return 0 }
            let sets = try await replica.read { try $0.rejected.held(among: entries, in: space) }
            let adopted = sets.filter { $0.hash.bytes[0] < 128 && $0.state == .held(reason: "cut") }
            for (decision, chosen) in [
                (ControlChain.HeldDecision.adopted, adopted),
                (.declined, sets.filter { !adopted.contains($0) }),
            ] where !chosen.isEmpty {
                let references = chosen.map(\.reference)
                try await replica.write {
                    try $0.controlSealer.decide(decision, on: references, in: space, at: now)
                }
            }
            return sets.count
        }
        if let decided, decided > 0 { trace.note("  \(device.name) decides on \(decided)") }
        return decided ?? 0 > 0
    }

    /// A link is good for some days.
    private func renewLink(of device: SimulatedDevice) throws {
        guard
            try device.run({ try await $0.read { try $0.identity.current() }.authority })
                == .some(nil)
        else { return }
        let sponsor = sponsor(besides: device)
        let seed = UInt64(time.now) &+ place(of: device.number).seed << 20
        guard let sponsor, let link = try link(from: sponsor, seed: seed) else { return }
        device.link = link
    }

    private func calmDisks() throws {
        server.disk.setRoom(nil)
        server.disk.arm(after: nil)
        server.disk.failOnce(after: -1)
        if !server.isUp || server.disk.isOff || server.hasFailed {
            try restartServer(lostPower: false)
        }
        for device in devices where !device.isGone {
            device.disk.setRoom(nil)
            device.disk.arm(after: nil)
            device.disk.failOnce(after: -1)
            device.disk.setLying(false)
            beforeLies[device.number] = nil
            if device.replica == nil || device.hasFailed || device.disk.isOff {
                device.hasFailed = false
                device.hasLittleRoom = false
                try restart(device, lostPower: false)
            }
            device.hasLittleRoom = false
        }
    }

    /// Recordings end, and syncs that were going on.
    private func finishWork(of device: SimulatedDevice) throws {
        guard !device.isGone else { return }
        if device.session != nil {
            let ended = try pump(device)
            trace.note("  \(device.name) ends: \(Self.describe(ended))")
            try forgetUsedLink(of: device)
        }
        let now = device.clock.moment
        if let recording = device.recording {
            device.recording = nil
            _ = try device.run { try await $0.write { try $0.recordings.stop(recording, at: now) } }
        }
        _ = try device.run { try await $0.write { try $0.recordings.packInterrupted(at: now) } }
    }
}
