import ProgramKit
import SyncCore

extension Commands {
    static let refused = Command(
        "refused",
        summary: "list own changes that the server refused or holds, and what cannot be read here",
        details: """
            Nothing of it is lost. A set is named by REPLICA/NUMBER, as the list shows it; NUMBER
            does where it is the only one.
            """
    ) { _, context in
        let library = try await context.library()
        let preferences = try await library.preferences()
        let report = try await ConcernReport(of: library.replica, preferences)
        if context.output.isJSON {
            context.output.json(.object([("sets", .array(report.json))]))
        } else if report.isEmpty {
            context.output.note("nothing was refused, nothing is held, and all can be read")
        } else {
            report.show(on: context.output, preferences)
            context.output.note("'wake refused --help' tells what can be done about them")
        }
        return .success
    }

    static let refusedRetry = Command(
        "refused retry",
        "[ID]",
        summary: "write again what a refused or held set said, as of now",
        options: [Option("--all", "all sets that were refused")],
        details: """
            The next sync sends it. A field that was written since keeps its value.
            """
    ) { arguments, context in
        let library = try await context.library()
        let sets = try await chosen(arguments, library)
        var (written, overtaken) = (0, 0)
        for set in sets {
            let retried = try await library.replica.retry(set, at: context.now())
            written += retried.written
            overtaken += retried.overtaken
        }
        let members: [(String, JSON)] = [
            ("sets", .integer(sets.count)), ("written", .integer(written)),
            ("overtaken", .integer(overtaken)),
        ]
        context.output.result(.object(members)) {
            let kept = overtaken.counted("field")
            return "wrote \(written.counted("field")) again"
                + (overtaken == 0 ? "\n" : "; \(kept) left alone, for a later write is there\n")
        }
        if written > 0 { context.output.note("'wake sync' sends it") }
        return .success
    }

    static let refusedDrop = Command(
        "refused drop",
        "[ID]",
        summary: "take a refused or held set off the list; it stays in the history",
        options: [
            Option("--all", "all sets that were refused"),
            Option("--yes", "do it; without this nothing happens"),
        ]
    ) { arguments, context in
        let library = try await context.library()
        let sets = try await chosen(arguments, library)
        guard arguments.flag("--yes") || sets.isEmpty else {
            throw UserError(
                .attention,
                "\(sets.map(\.label).joined(separator: ", ")) would be taken off the list",
                hint: "'--yes' does it; 'wake refused export' keeps a copy"
            )
        }
        for set in sets { try await library.replica.dismiss(set) }
        context.output.result(.object([("dropped", .array(sets.map { .text($0.label) }))])) {
            "took \(sets.count.counted("set")) off the list\n"
        }
        return .success
    }

    static let refusedExport = Command(
        "refused export",
        "ID FILE",
        summary: "write a set with its points to a file, signed as it was sent",
        options: [Option("--force", "write over a file that is there")],
        details: """
            The file is as 'wake export --sealed' writes it, with the chunks of points.
            """
    ) { arguments, context in
        let library = try await context.library()
        let label = try SetLabel(arguments.required("ID"))
        let sets = try await library.replica.setsOfConcern()
        let set = try label.pick(from: sets, list: "wake refused")
        let path = arguments.required("FILE")
        let item = try await library.replica.pushItem(of: set)
        let bytes = item?.encoded ?? []
        // It may hold where a person was.
        let file = try OutputFile(path, mode: 0o600, replaces: arguments.flag("--force"))
        try file.write(bytes)
        try file.finish()
        context.output.result(
            .object([
                ("file", .text(path)), ("bytes", .integer(bytes.count)),
                ("chunks", .integer(item?.chunks.count ?? 0)),
            ])
        ) { "wrote set \(set.label) to \(path.withoutControls)\n" }
        return .success
    }

    /// The sets that the words of `retry` and `drop` mean.
    private static func chosen(
        _ arguments: Arguments,
        _ library: Library
    ) async throws -> [SetOfConcern] {
        let sets = try await library.replica.setsOfConcern()
        switch (arguments.optional("ID"), arguments.flag("--all")) {
        case (nil, true): return sets.filter(\.isRefused)
        case (let word?, false):
            let set = try SetLabel(word).pick(from: sets, list: "wake refused")
            guard !set.isPending else {
                throw UserError(
                    .attention,
                    "set \(set.label) is in the server's log and only waits to be read",
                    hint: "a newer wake may read it; 'wake refused export' keeps a copy"
                )
            }
            return [set]
        case (nil, false):
            throw UserError(
                .usage,
                "it is not clear which set",
                hint: "give its name, as 'wake refused' shows it, or --all"
            )
        case (_?, true): throw UserError(.usage, "ID and --all exclude each other")
        }
    }
}

extension SetOfConcern {
    fileprivate var isRefused: Bool {
        if case .refused = concern { true } else { false }
    }

    fileprivate var isPending: Bool {
        if case .pending = concern { true } else { false }
    }
}
