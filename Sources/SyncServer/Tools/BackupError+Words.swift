internal import ProgramKit
internal import SyncCore

extension BackupError: DescribedError {
    var words: (message: String, hint: String?) {
        switch self {
        case .exists(let path):
            ("\(path) already exists", "choose another name: a backup is never overwritten")
        case .missing(let path):
            ("\(path) does not exist", "check where 'wake-server backup' wrote it")
        case .beingMade(let path):
            ("another program is writing \(path)", "wait until it is done, or choose another name")
        case .notOurs(let path):
            (
                "cannot write \(path): a link or another program's file has that name",
                "nothing was changed; move it away, or choose another name"
            )
        case .notCopied(let path, let error) where error.kind == .full:
            (
                "cannot write \(path): the disk is full",
                "free disk space, or choose a path on another disk"
            )
        case .notCopied(let path, let error):
            (
                "cannot copy the store to \(path): \(error.message)",
                "check the path and the permissions of its folder"
            )
        case .unsound(let path, let findings):
            (
                "\(path) is damaged:"
                    + (findings.isEmpty ? " its content is not what its manifest says" : "")
                    + findings.words.map { "\n  \($0)" }.joined(),
                "nothing was changed; restore another backup, or 'wake-server restore --empty' lets the devices "
                    + "bring the log back; for a store, 'wake-server doctor' shows more; a receipt that is "
                    + "not this server's belongs to another master.key"
            )
        case .unknownFormat(let format):
            (
                "the backup has format \(format), which this program does not support",
                "nothing was changed; use the newer wake-server"
            )
        case .notRestorable(let path, .foreign):
            (
                "\(path) is not a backup of a wake-server: it is another program's file, or empty",
                "nothing was changed; use the file that 'wake-server backup' wrote"
            )
        case .notRestorable(let path, .newer(let version, let known)):
            (
                "\(path) has version \(version); this program supports versions up to \(known)",
                "nothing was changed; use the newer wake-server"
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
