import ProgramKit
import SyncCore

/// A change set that is listed and can be named on the command line.
protocol ListedSet {
    var space: Identifier { get }
    /// The replica that sealed it.
    var replica: Identifier { get }
    /// The sequence number within that replica.
    var sequence: UInt64 { get }
}

extension ListedSet {
    /// The name in lists: `3hqdadhm/5`.
    var label: String { "\(replica.short)/\(sequence)" }
}

extension RejectedChangeSet: ListedSet {}

/// The name of a change set on the command line.
///
/// Either `SEQUENCE`, `REPLICA/SEQUENCE` or `SPACE/REPLICA/SEQUENCE`, with prefixes of the ids.
struct SetLabel: Sendable {
    private let word: String
    private let space: IDPrefix?
    private let replica: IDPrefix?
    private let sequence: UInt64

    init(_ word: String) throws(UserError) {
        let parts = word.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 3, let sequence = parts.last.flatMap({ UInt64($0) }) else {
            throw UserError.usage(
                "'\(word)' is not the name of a set",
                hint: "a set is named REPLICA/NUMBER, as in the list; a unique NUMBER is enough"
            )
        }
        self.word = word
        self.sequence = sequence
        replica = parts.count > 1 ? try IDPrefix(parts[parts.count - 2]) : nil
        space = parts.count > 2 ? try IDPrefix(parts[0]) : nil
    }

    /// Returns the only set with this name; throws if there are none or several.
    func pick<Listed: ListedSet>(from sets: [Listed], list: String) throws(UserError) -> Listed {
        let found = sets.filter { set in
            set.sequence == sequence && replica?.matches(set.replica) ?? true
                && space?.matches(set.space) ?? true
        }
        guard let first = found.first else {
            throw UserError.notFound("no set '\(word)'", hint: "see '\(list)'")
        }
        guard found.count == 1 else {
            let names = found.map { "\($0.space.short)/\($0.label)" }
            throw UserError.attention(
                "'\(word)' is ambiguous: it names \(found.count) sets: \(names.joined(separator: ", "))",
                hint: "give more of the name"
            )
        }
        return first
    }
}
