import ProgramKit
import SyncCore

extension Library {
    /// Returns the change sets that the arguments of `refused retry` or `refused drop` name.
    func rejectedChangeSets(chosenBy arguments: Arguments) async throws -> [RejectedChangeSet] {
        let sets = try await replica.read { try $0.rejected.all() }
        switch (arguments.optional("ID"), arguments.flag("--all")) {
        case (nil, true): return sets.filter(\.isRefused)
        case (let word?, false):
            let set = try SetLabel(word).pick(from: sets, list: "wake refused")
            guard !set.isPending else {
                throw UserError.attention(
                    "set \(set.label) is in the server's log, but cannot be read yet",
                    hint: "a newer wake may read it; 'wake refused export' keeps a copy"
                )
            }
            guard !set.isVoid else {
                throw UserError.attention(
                    "set \(set.label) does not count on any device: no honest server accepts it",
                    hint: "you need not do anything; 'wake refused export' keeps a copy"
                )
            }
            return [set]
        case (nil, false):
            throw UserError.usage(
                "no set was given",
                hint: "give the name of a set, as 'wake refused' shows it, or --all"
            )
        case (_?, true): throw UserError.usage("ID and --all cannot be used together")
        }
    }
}

extension RejectedChangeSet {
    fileprivate var isRefused: Bool {
        if case .refused = state { true } else { false }
    }

    fileprivate var isVoid: Bool {
        if case .void = state { true } else { false }
    }

    fileprivate var isPending: Bool {
        switch state {
        case .pending, .unfollowed: true
        case .held, .unadoptable, .refused, .void: false
        }
    }
}
