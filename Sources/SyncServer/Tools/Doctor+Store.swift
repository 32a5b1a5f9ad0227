internal import ProgramKit
internal import SyncCore

extension Doctor {
    /// Returns a check for each part of an inspection.
    func examine(_ inspection: Inspection, _ store: any Store) async throws -> [Check] {
        guard inspection.findings.words(.structure).isEmpty else {
            return [line(.structure, inspection, "")]
        }
        let entries = inspection.spaces.reduce(0) { $0 + $1.head }
        let extent =
            "\(inspection.spaces.count.counted("space")), \(entries.counted("entry", "entries"))"
        let lines = [
            line(.structure, inspection, "\(try await store.statistics().byteCount >> 20) MiB"),
            try await pages(store),
            line(.chains, inspection, extent),
            line(.receipts, inspection, "all \(entries) are this server's"),
            line(.seals, inspection, "each set was sealed by its device"),
            line(.heads, inspection, "each set follows its replica's previous one"),
            line(.members, inspection, "devices and members are those of the control sets"),
            bodies(inspection),
        ]
        return try await lines + [chunks(inspection, store), wanted(inspection, store)]
    }

    /// Repairs what follows from the rest of a store: the indexes, and then, if the file is sound, the
    /// entries of the logs and the records of the replicas' newest sets.
    func repair(_ store: any Store) async throws -> [Check] {
        guard repairs else { return [] }
        var checks: [Check] = []
        if try await !isSound(store) {
            checks = try await rebuildIndexes(of: store)
            // What an unsound file says of the log may be wrong.
            guard try await isSound(store) else { return checks }
        }
        let repaired = try await store.repairLogs()
        if repaired > 0 {
            let words = repaired.counted("damaged entry", "damaged entries")
            checks.append(.repaired("log", words + " repaired, or left for devices to bring"))
        }
        let count = try await store.restoreHeads()
        if count > 0 {
            checks.append(.repaired("heads", "\(count.counted("record")) read again from the log"))
        }
        return checks
    }

    private func isSound(_ store: any Store) async throws -> Bool {
        try await store.readSnapshot { try $0.structureFaults() }.isEmpty
    }

    /// Rebuilds the indexes of a file in which the database reports a fault.
    private func rebuildIndexes(of store: any Store) async throws -> [Check] {
        do {
            guard try await store.rebuildIndexes() else {
                return [.trouble("indexes", "know rows that their tables lost", Self.replacement)]
            }
        } catch let error as DatabaseError {
            return [.trouble("indexes", "cannot be rebuilt: \(error.message)", Self.replacement)]
        }
        guard try await isSound(store) else { return [] }
        return [.repaired("indexes", "rebuilt, because the file was damaged there")]
    }

    private func line(_ check: Findings.Check, _ inspection: Inspection, _ text: String) -> Check {
        let words = inspection.findings.words(check)
        guard !words.isEmpty else { return .ok(check.rawValue, text) }
        let remedy = remedy(for: check, words, inspection)
        return .trouble(check.rawValue, words.joined(separator: "; "), remedy)
    }

    private func remedy(
        for check: Findings.Check,
        _ words: [String],
        _ inspection: Inspection
    ) -> String {
        switch check {
        case .receipts:
            "check that master.key belongs to this store"
                + (repairs ? "" : "; if it does, 'wake-server doctor --repair' makes them again")
        case .structure where !repairs && words.allSatisfy({ $0.contains(" index ") }):
            "'wake-server doctor --repair' rebuilds the indexes, unless rows are lost"
        case .heads where words.allSatisfy({ $0.hasSuffix(LogInspection.damagedHead) }):
            "'wake-server doctor --repair' reads them again from the log"
        case .chains, .seals, .members:
            if inspection.lostCount > 0 {
                "devices that have the deleted sets send them at their next sync; run this again then"
            } else if !repairs, check != .members {
                "'wake-server doctor --repair' repairs what the rest of the log proves, and says what "
                    + "to do about the rest"
            } else {
                Self.replacement
            }
        default: Self.replacement
        }
    }

    /// Checks the checksums of the pages; a repair writes the wrong ones anew.
    private func pages(_ store: any Store) async throws -> Check {
        guard let (corrected, damaged) = try await store.readSnapshot({ try $0.faultyPages() })
        else {
            return .warning(
                "pages",
                "they have no checksums, because another program made the file",
                "'wake-server restore --empty' makes a new one; devices bring everything back"
            )
        }
        guard !corrected.isEmpty || !damaged.isEmpty else {
            return .ok("pages", "each matches its checksum")
        }
        let parts = [
            corrected.isEmpty
                ? nil : "\(corrected.words): a flipped bit is put right at each reading",
            damaged.isEmpty ? nil : "the checksum of \(damaged.words) does not match",
        ]
        let words = parts.compactMap(\.self).joined(separator: "; ")
        let isServed = try DataFolder(existing: path).isServed
        guard repairs, damaged.isEmpty || !isServed else {
            let stop = damaged.isEmpty ? "" : "stop the server and run "
            let remedy = stop + "'wake-server doctor --repair': it writes them anew, as they are"
            return damaged.isEmpty
                ? .warning("pages", words, remedy) : .trouble("pages", words, remedy)
        }
        try await store.rewriteFaultyPages()
        return .repaired("pages", words + "; all are written anew")
    }

    private func bodies(_ inspection: Inspection) -> Check {
        let count = inspection.bodilessCount
        guard count > 0 else { return .ok("bodies", "each accepted set has its body") }
        return .warning(
            "bodies",
            "\(count.counted("accepted change set")) without a body",
            "devices that have them send them at their next sync"
        )
    }

    /// Checks the chunks' hashes; a repair deletes damaged chunks, so that devices upload them
    /// again.
    private func chunks(_ inspection: Inspection, _ store: any Store) async throws -> Check {
        let wrong = inspection.wrongChunks
        guard !wrong.isEmpty else {
            return .ok("chunks", "\(inspection.chunkCount), each matches its hash")
        }
        guard repairs else {
            return .trouble(
                "chunks",
                "\(wrong.count) of \(inspection.chunkCount) do not match their hash",
                "'wake-server doctor --repair' deletes them and asks devices for them"
            )
        }
        try await store.dropChunks(wrong)
        return .repaired(
            "chunks",
            "deleted \(wrong.count.counted("chunk")); the server asks devices for what is missing"
        )
    }

    /// Checks that missing chunks are wanted; a repair marks them so.
    private func wanted(_ inspection: Inspection, _ store: any Store) async throws -> Check {
        let lacking = inspection.lackingChunks
        guard !lacking.isEmpty else { return .ok("wanted", "no chunk is missing") }
        let asked = try await store.readSnapshot { try $0.wantedChunks() }
        // A space with the maximum number of wanted chunks takes no more for now.
        let full = Dictionary(grouping: asked, by: \.space)
            .filter { $0.value.count >= StoreLimits.wantedChunks }
        let forgotten = lacking.subtracting(asked).filter { full[$0.space] == nil }
        let text = lacking.count.counted("chunk") + " missing"
        guard !forgotten.isEmpty else {
            return .warning("wanted", text, "devices that have them send them at their next sync")
        }
        guard repairs else {
            return .trouble("wanted", text, "'wake-server doctor --repair' asks devices for them")
        }
        try await store.wantChunks(Array(forgotten))
        return .repaired("wanted", "\(text); the server now asks devices for them")
    }

    /// Checks that all devices in the revocation file are revoked in the store.
    func revocations(of folder: DataFolder, _ store: any Store) async throws -> Check {
        let noted: Set<Identifier>
        do throws(DataFolderError) {
            noted = Set(try folder.revocations)
        } catch {
            return .trouble("revocations", error)
        }
        let (stored, open) = try await store.readSnapshot {
            (try $0.revocations(), try $0.revocationsNotInForce())
        }
        guard !noted.isSubset(of: stored) || !open.isEmpty else {
            return .ok("revocations", "\(stored.count), all of them in force")
        }
        guard repairs else {
            return .trouble(
                "revocations",
                "revoked devices have access",
                "start the server again, or run 'wake-server doctor --repair'"
            )
        }
        try await store.replayRevocations(Array(noted.union(open)))
        return .repaired("revocations", "all of them are in force again")
    }

    func backup(_ store: any Store) async throws -> Check {
        let times = try await store.readSnapshot { try $0.backupTimes() }
        guard !times.isEmpty else { return .ok("backup", "there is nothing to back up yet") }
        let remedy = "'wake-server backup FILE' makes one, also while the server runs"
        guard !times.contains(nil), let oldest = times.compactMap({ $0?.milliseconds }).min() else {
            return .warning("backup", "there is no verified backup of all spaces", remedy)
        }
        let days = (now.milliseconds - oldest) / (24 * 3_600_000)
        guard days < Self.backupDays else {
            return .warning("backup", "the last verified backup is \(days) days old", remedy)
        }
        return .ok(
            "backup",
            "the last verified backup is of \(UnixTime(milliseconds: oldest).iso8601)"
        )
    }

    /// Checks that each space takes new control sets.
    func controls(_ store: any Store) async throws -> Check {
        let waiting = try await store.readSnapshot { try $0.controlCounts() }.filter(\.isWaiting)
        guard let first = waiting.first else { return .ok("controls", "no space waits for any") }
        let others = waiting.count > 1 ? ", and \(waiting.count - 1) more" : ""
        return .warning(
            "controls",
            "space \(first.space) lacks \(first.lacking.counted("control set")) and takes no change of "
                + "devices\(others)",
            "sync the devices, which bring them; if none does: 'wake-server spaces release'"
        )
    }

    private static let backupDays: Int64 = 7
    private static let replacement = "stop the server; " + UserError.wayBack
}
