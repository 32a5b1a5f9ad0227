internal import ProgramKit
internal import SyncCore

extension BackupError: DescribedError {
    var words: (message: String, hint: String?) {
        switch self {
        case .exists(let path):
            ("\(path) is there already", "give another name: a backup is never written over")
        case .missing(let path): ("there is no \(path)", "see where 'wake-server backup' put it")
        case .beingMade(let path):
            ("another program is writing \(path)", "wait until it is done, or give another name")
        case .notCopied(let path, let error) where error.kind == .full:
            (
                "the disk is full, so \(path) cannot be written",
                "make room, or give a name on another disk"
            )
        case .notCopied(let path, let error):
            (
                "cannot copy the store to \(path): \(error.message)",
                "see the name, and whether the folder may be written"
            )
        case .unsound(let path, let findings):
            (
                "\(path) is damaged:"
                    + (findings.isEmpty ? " it does not hold what it says" : "")
                    + findings.words.map { "\n  \($0)" }.joined(),
                "nothing was changed; 'wake-server doctor' tells what is wrong with a store, and a "
                    + "receipt that is not this server's belongs to another master.key"
            )
        case .unknownFormat(let format):
            (
                "the backup has format \(format), which this program does not know",
                "nothing was changed; run the newer wake-server"
            )
        case .notRestorable(let path, .foreign):
            (
                "\(path) is no backup of a wake-server: it is another program's, or empty",
                "nothing was changed; give the file that 'wake-server backup' made"
            )
        case .notRestorable(let path, .newer(let version, let known)):
            (
                "\(path) has version \(version), this program knows versions up to \(known)",
                "nothing was changed; run the newer wake-server"
            )
        case .storeInUse(let path):
            ("another program has \(path) open", "wait until it is done, then try again")
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .missing: .notFound
        case .exists: .attention
        default: .failure
        }
    }
}
