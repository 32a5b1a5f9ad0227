import ProgramKit
import SyncCore

extension ReplicaEvent {
    /// Describes the event for the user.
    var words: String {
        switch kind {
        case .renamed:
            "this database lacks changes that were made under its replica id: it was restored or copied, "
                + "or the disk lost them; it continues under a new replica id (\(detail.prefix(8))); "
                + "missing changes that were never sent are lost"
        case .rebased:
            "the server's history changed: it was restored from a backup, or recreated; this device "
                + "fetched its log from the beginning (\(detail)), and nothing was lost"
        case .salvaged:
            "this replica was recovered from the readable part of a damaged one: \(detail)"
        case .repaired: "repaired: \(detail)"
        case .damaged:
            "damaged: the checksum of \(FaultyPages(numbers: FaultyPages.numbers(detail)).words) of the database "
                + "does not match; 'wake doctor --repair' repairs what it can"
        case .rewritten: "repaired: all pages of the database were written anew"
        case .cutShort: Library.lostChanges
        case .leftOut:
            "the server lacks settings that only their own person or device may write; they return "
                + "when that person or device syncs: \(detail)"
        case .ended:
            "you are not in this shared space any more, so its data was deleted here: \(detail)"
        case nil: "an event of a newer wake: \(detail)"
        }
    }

    var json: JSON {
        .object([("time", .time(time)), ("kind", .text(kind?.rawValue)), ("detail", .text(detail))])
    }
}
