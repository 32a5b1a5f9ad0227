import ProgramKit
import SyncCore

extension ReplicaEvent {
    /// Describes the event for the user.
    var words: String {
        switch kind {
        case .renamed:
            "this database was restored or copied, and goes on under another name "
                + "(replica \(detail.prefix(8))); nothing was lost"
        case .rebased:
            "the server had another history than before: put back from a backup, or made anew; its log "
                + "was taken from its beginning (\(detail)), and nothing was lost"
        case .salvaged: "this replica was made of what could be read of a damaged one: \(detail)"
        case .repaired: "repaired: \(detail)"
        case .leftOut:
            "the server lacks settings that only their own person or device may write; they are there "
                + "again once that one syncs: \(detail)"
        case nil: "something that a newer wake knows: \(detail)"
        }
    }

    var json: JSON {
        .object([
            ("time", .time(time)), ("kind", .text(kind?.rawValue)), ("detail", .text(detail)),
        ])
    }
}
