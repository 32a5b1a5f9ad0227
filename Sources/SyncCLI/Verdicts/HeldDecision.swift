import ProgramKit
import SyncCore

/// The decision of a space's owner or admin on held change sets.
struct HeldDecision: Sendable {
    let decision: ControlChain.HeldDecision
    let context: Context

    static let options = [Option("--all", "all sets that 'wake held' lists")]

    /// Decides on the change sets that the arguments name.
    func make(_ arguments: Arguments) async throws -> ExitCode {
        let library = try await context.library()
        let held = try await library.heldSets(context)
        let chosen = try choose(arguments, from: held.flatMap(\.sets))
        for (space, sets) in held {
            let sets = sets.filter(chosen.contains)
            if !sets.isEmpty { try await decide(on: sets, in: space, library) }
        }
        tell(chosen.map(\.label).sorted())
        return .success
    }

    private func choose(
        _ arguments: Arguments,
        from sets: [RejectedChangeSet]
    ) throws -> Set<RejectedChangeSet> {
        let words = arguments.list("SET")
        guard words.isEmpty == arguments.flag("--all") else {
            throw words.isEmpty
                ? UserError.usage(
                    "no set was given",
                    hint: "give the names of sets, as 'wake held' shows them, or --all"
                ) : UserError.usage("SET and --all cannot be used together")
        }
        let chosen =
            words.isEmpty
            ? sets : try words.map { try SetLabel($0).pick(from: sets, list: "wake held") }
        guard decision == .adopted else { return Set(chosen) }
        let unable = chosen.filter { !$0.isHeld }
        let errors = unable.map { "set \($0.label) cannot be adopted: \($0.reasonWords)" }
        if let first = errors.first, !words.isEmpty {
            throw UserError.attention(
                first,
                hint: "'wake held decline \(unable[0].label)' takes it off the list"
            )
        }
        for error in errors { context.output.warn(error) }
        return Set(chosen).subtracting(unable)
    }

    /// Seals the decision, and throws unless the server has accepted it.
    private func decide(
        on sets: [RejectedChangeSet],
        in space: Identifier,
        _ library: Library
    ) async throws {
        let change = MemberChange(
            library: library,
            context: context,
            shared: space == library.own ? nil : space,
            failure: "nothing was decided"
        )
        try await change.prepare()
        let (decision, now, references) = (decision, context.moment(), sets.map(\.reference))
        do {
            try await library.replica.write {
                try $0.controlSealer.decide(decision, on: references, in: space, at: now)
            }
        } catch ControlError.forbidden(.decision) {
            throw UserError.attention(
                "nothing was decided: another admin decided on one of these sets first",
                hint: "see 'wake held'"
            )
        }
        try await change.send { chain in
            references.allSatisfy { chain.decisions[$0] == decision }
        }
    }

    private func tell(_ labels: [String]) {
        let word = decision == .adopted ? "adopted" : "declined"
        context.output.result(
            .object([("sets", .array(labels.map { .text($0) })), ("decision", .text(word))])
        ) {
            guard !labels.isEmpty else {
                return "nothing to \(decision == .adopted ? "adopt" : "decline")\n"
            }
            let what = labels.count == 1 ? "set \(labels[0])" : labels.count.counted("set")
            let end = decision == .adopted ? "; every device merges it at its next sync\n" : "\n"
            return "\(word) \(what)\(end)"
        }
    }
}

extension Library {
    /// Syncs, and returns the held change sets of each space in which this person is an owner or admin:
    /// of the one that `--space` names or, without it, of all.
    func heldSets(
        _ context: Context
    ) async throws -> [(space: Identifier, sets: [RejectedChangeSet])] {
        let report = try await SyncCommand.exchange(self, context)
        if let error = report.userError {
            guard report.result.end == .complete else {
                throw UserError(
                    error.code,
                    "what is held is not known: \(error.message)",
                    hint: error.code == .network
                        ? "run it again when the server can be reached" : error.hint
                )
            }
            context.output.warn(error.message)
        }
        let client = try await client(context)
        var held: [(space: Identifier, sets: [RejectedChangeSet])] = []
        for space in try await governedSpaces() {
            let entries = try await client.held(in: space)
            let (sets, count) = try await replica.read {
                let sets = try $0.rejected.held(among: entries, in: space)
                return (sets, try $0.rejected.heldCount(in: space))
            }
            held.append((space, sets))
            if count > sets.count {
                context.output.note(
                    "\(count - sets.count) more are listed once these are decided on"
                )
            }
        }
        return held
    }

    private func governedSpaces() async throws -> [Identifier] {
        let governed = try await replica.read { try $0.sharedSpaces.governed() }
        guard space != own else { return governed }
        guard governed.contains(space) else {
            throw UserError.attention(
                "only an owner or an admin sees what the server holds",
                hint: "ask one of them: 'wake members list'"
            )
        }
        return [space]
    }
}

extension RejectedChangeSet {
    fileprivate var isHeld: Bool {
        if case .held = state { true } else { false }
    }
}
