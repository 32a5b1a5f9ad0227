import ProgramKit
import SyncCore

enum VerifyCommand {
    static let command = Command(
        "verify",
        summary: "check chains, MACs, hashes, fingerprint and lists",
        options: [
            Option(
                "--acknowledge",
                "treat the lies of the server that were detected so far as known"
            )
        ],
        details: """
            Recomputes every hash chain, MAC, hash and fingerprint, and what lists show.
            The exit code is 6 if anything is wrong. A lie of the server stays a fault until
            you acknowledge it, for example after its operator explained it.
            """
    ) { arguments, context in
        let library = try await context.library()
        if arguments.flag("--acknowledge") { try await acknowledge(library, context.output) }
        let found = try await library.replica.read { try $0.maintenance.verify() }
        context.output.result(json(of: found)) {
            let counts = [
                found.sets.counted("change set"), found.cells.counted("cell"),
                found.chunks.counted("chunk"), found.tracks.counted("track"),
            ].joined(separator: ", ")
            return found.faults.isEmpty
                ? "no faults: \(counts)\n"
                : "\(found.faults.count.counted("fault")) in \(counts)\n"
        }
        tell(found, context.output)
        return found.faults.isEmpty ? .success : .authentication
    }

    private static func acknowledge(_ library: Library, _ output: Output) async throws {
        let known = try await library.replica.write {
            let open = try $0.breaches.open()
            try $0.breaches.acknowledge()
            return open
        }
        for breach in known { output.note("acknowledged: \(breach)") }
    }

    private static func tell(_ found: Verification, _ output: Output) {
        if found.unreadable > 0 {
            output.warn(
                found.unreadable.counted("entry", "entries")
                    + " of the log cannot be read yet, so the chain across them is not proven; a newer "
                    + "wake may read them"
            )
        }
        if found.missingChunks > 0 {
            output.warn(
                "\(found.missingChunks.counted("chunk")) not received yet; 'wake sync' fetches them"
            )
        }
        if let first = found.misstatements.first {
            let rest = found.misstatements.count - 1
            output.note(
                first + (rest > 0 ? " (and \(rest) more)" : "") + "; this device shows its samples"
            )
        }
        for fault in found.faults { output.report(UserError.authentication(fault)) }
        if !found.lostFaults.isEmpty { output.note(SyncReport.wayBackOfChunks) }
        if !found.trackFaults.isEmpty || !found.chunkFaults.isEmpty {
            output.note("'wake doctor --repair' rebuilds lists and fetches damaged points again")
        }
    }

    private static func json(of found: Verification) -> JSON {
        .object([
            ("sets", .integer(found.sets)),
            ("cells", .integer(found.cells)),
            ("chunks", .integer(found.chunks)),
            ("missingChunks", .integer(found.missingChunks)),
            ("tracks", .integer(found.tracks)),
            ("unreadable", .integer(found.unreadable)),
            ("misstatements", .array(found.misstatements.map { .text($0) })),
            ("faults", .array(found.faults.map { .text($0) })),
        ])
    }
}
