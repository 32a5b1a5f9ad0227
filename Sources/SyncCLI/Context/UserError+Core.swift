import ProgramKit
import SyncCore

/// Messages for errors of the core.
extension UserError {
    /// Describes any error for the user.
    init(describing error: any Error) {
        switch error {
        case let error as UserError: self = error
        case let error as any DescribedError: self = error.userError
        default: self = UserError(describingCore: error) ?? .failure("\(error)")
        }
    }

    /// Describes an error of the core, or returns nil for any other error.
    private init?(describingCore error: any Error) {
        switch error {
        case let error as DatabaseError: self.init(error, of: .device, wayBack: Self.wayOut)
        case let error as ReplicaError: self.init(describing: error)
        case let error as MigrationError: self.init(error, of: .device)
        case let error as TransportError: self.init(describing: error)
        case let error as ServerProblem: self.init(describing: ServerRefusal(error))
        case let error as EnrolmentError: self.init(describing: error)
        case is RecorderLockError:
            self = .attention(
                "a recorder is already running on this replica",
                hint: "stop it first; other commands work meanwhile"
            )
        case FileLockError.unavailable(let code):
            self = .failure(
                "cannot lock the data folder: \(SystemReason.text(code))",
                hint: "check the owner and permissions of the data folder"
            )
        case let error as ChangeSetError: self.init(describing: error)
        case is SealError:
            self = .failure(
                "cannot seal local changes: a key is missing",
                hint: "'wake verify' shows details; your changes are safe"
            )
        case is ChunkError:
            self = .failure("the points of a track are damaged", hint: Self.wayOut)
        case let error as CBORError:
            self = .failure("a record in replica.db is damaged: \(error)", hint: Self.wayOut)
        default: return nil
        }
    }

    /// The hint for a damaged replica.
    private static let wayOut =
        "'wake doctor --salvage FOLDER' recovers the readable part into a new folder; keep this "
        + "folder: it may have the only copy of unsent changes"
}

/// Replicas.
extension UserError {
    private init(describing error: ReplicaError) {
        switch error {
        case .missing: self = .notFound("there is no replica", hint: "'wake init' creates one")
        case .lostIdentity:
            self = .failure(
                "the record of this device or of its own space is damaged",
                hint: Self.wayOut
            )
        case .empty:
            self = .failure(
                "the file is empty: it contains no replica",
                hint: "'wake init' creates a replica in it; if it contained one, " + Self.wayOut
            )
        case .unknownSpace(let space):
            let hint = "'wake fingerprint' lists its spaces"
            self = .notFound("this replica has no space \(space)", hint: hint)
        case .notJoined:
            self = .attention(
                "this device has not joined a server",
                hint:
                    "use 'wake join LINK', with a link from 'wake devices link' or 'wake-server invite'"
            )
        case .alreadyJoined(let authority):
            self = .attention(
                "this device has already joined \(authority)",
                hint:
                    "use '--new-key' if this server has a new key; '--again' if it lost everything or "
                    + "revoked this device; another --data DIR for another person"
            )
        case .anotherPerson(let space):
            self = .attention(
                "the link belongs to another person; this device's person has the space \(space)",
                hint:
                    "nothing was changed, and the link was not used; use a link of this person: from "
                    + "'wake devices link' on another device"
            )
        default:
            self = Self.aboutValue(error) ?? Self.aboutServer(error) ?? Self.aboutFault(error)
        }
    }

    /// Describes a value that cannot be written, or returns nil for any other error.
    private static func aboutValue(_ error: ReplicaError) -> UserError? {
        switch error {
        case .tooLarge(let field, let byteCount):
            .usage("\(field) is too large: \(byteCount) bytes", hint: "shorten it")
        case .wrongType(let field, let expected):
            .usage("invalid value for \(field)", hint: "use \(expected)")
        case .notEncodable(let field): .usage("\(field) has a value that cannot be stored")
        default: nil
        }
    }

    /// Describes a log that this replica cannot merge, or returns nil for any other error.
    private static func aboutServer(_ error: ReplicaError) -> UserError? {
        switch error {
        case .historyChanged(let space, let position):
            .failure(
                "the server's log of space \(space) has changed before position \(position)",
                hint: "keep the data folder; the server may have been restored from a backup"
            )
        case .malformedPage(let space):
            .failure(
                "the server sent a malformed page of the log of space \(space)",
                hint: "this wake may be too old for the server; your changes are queued and safe"
            )
        case .tooMuchUnreadable(let space):
            .failure(
                "the server's log of space \(space) has too many entries that cannot be read",
                hint: "install a newer wake; your changes are queued and safe"
            )
        case .sharing:
            .attention(
                "this device belongs to shared spaces, and a new device would lose them",
                hint: "nothing was changed; 'wake spaces list' shows them"
            )
        case .notVouched:
            .attention(
                "no other device of yours has confirmed yet that this one is yours too",
                hint:
                    "use your first device for this; once that shares a space, its next sync confirms this one"
            )
        case .revivedDevice(let device, let newcomers):
            takeover(by: device, and: newcomers, "nothing was changed")
        default: nil
        }
    }

    /// Describes what a server did that forgot a revocation, and what the operator has to do.
    ///
    /// - Parameters:
    ///   - newcomers: the devices that this one does not know.
    ///   - state: what became of this device's data.
    static func takeover(
        by device: Identifier,
        and newcomers: [Identifier],
        _ state: String
    ) -> UserError {
        let others = newcomers.map(\.description).joined(separator: ", ")
        return .authentication(
            "the server let the revoked device \(device) change your devices and keys"
                + (others.isEmpty
                    ? "" : ", and let in devices that this one does not know: \(others)"),
            hint:
                "\(state); if you revoked it, the operator must add these ids, but for those of your own "
                + "devices, to the file 'revocations', take out the devices that it revoked, and restore the "
                + "server; if not, run 'wake join --again' with a link from it"
        )
    }

    /// Describes a fault of the disk or of a program.
    private static func aboutFault(_ error: ReplicaError) -> UserError {
        switch error {
        case .guardNotWritten(let code):
            .failure(
                "cannot write replica.db.seals: \(SystemReason.text(code))",
                hint: "free disk space or check the data folder's permissions, then run it again"
            )
        case .wrongChunk(let hash):
            .failure(
                "the bytes of chunk \(hash) do not match its hash",
                hint: "'wake verify' shows all faults"
            )
        case .damaged:
            .failure(
                "a record in replica.db is damaged",
                hint: "'wake doctor --repair' restores it"
            )
        case .damagedKeys:
            .failure(
                "the keys of this device are damaged, so it can sign nothing",
                hint: "your data is safe; run 'wake join --again' with a link from another device"
            )
        case .damagedRecord: .failure("a record in replica.db is damaged", hint: wayOut)
        default: .failure("unexpected error of the replica: \(error)", hint: wayOut)
        }
    }

    private init(describing error: ChangeSetError) {
        switch error {
        case .badMAC, .unknownKeyEpoch:
            self = .authentication(
                "a change set is not signed with a key that this device knows",
                hint: "'wake status' shows what is pending"
            )
        default: self = .failure("a change set cannot be read: \(error.words)")
        }
    }
}
