import ProgramKit
import SyncCore

/// Messages for errors of the core.
extension UserError {
    /// Describes any error for the user.
    init(describing error: any Error) {
        switch error {
        case let error as UserError: self = error
        case let error as any DescribedError: self = error.userError
        default: self = UserError(describingCore: error) ?? UserError(.failure, "\(error)")
        }
    }

    /// Describes an error of the core, or returns nil for any other error.
    private init?(describingCore error: any Error) {
        switch error {
        case let error as DatabaseError: self.init(error, of: .device, wayBack: Self.wayOut)
        case let error as ReplicaError: self.init(describing: error)
        case let error as MigrationError: self.init(error, of: .device)
        case let error as TransportError: self.init(describing: error)
        case let error as ServerProblem: self.init(describing: error)
        case let error as EnrolmentError: self.init(describing: error)
        case is RecorderLockError:
            self.init(
                .attention,
                "a recorder is running on this replica already",
                hint: "stop it first; other commands go on meanwhile"
            )
        case let error as FileLockError: self.init(describing: error)
        case let error as ChangeSetError: self.init(describing: error)
        case is SealError:
            self.init(
                .failure,
                "what was written cannot be sealed: a key is missing",
                hint: "'wake verify' tells more; what was written is safe"
            )
        case is ChunkError:
            self.init(.failure, "the points of a track are damaged", hint: Self.wayOut)
        case let error as CBORError:
            self.init(
                .failure,
                "a record in replica.db is damaged: \(error)",
                hint: Self.wayOut
            )
        default: return nil
        }
    }

    /// The hint for a damaged replica.
    private static let wayOut =
        "'wake doctor --salvage FOLDER' saves what can be read, into a new folder; keep this one, for "
        + "what was not sent may be in it alone"

    private init(describing error: FileLockError) {
        switch error {
        case .unavailable(let code):
            let reason = SystemReason.text(code)
            self.init(
                .failure,
                "cannot lock the data folder: \(reason)",
                hint: "see who owns the data folder and whether it may be written"
            )
        }
    }
}

/// Replicas.
extension UserError {
    private init(describing error: ReplicaError) {
        switch error {
        case .missing, .empty, .unknownSpace: self.init(aboutWhatIsMissing: error)
        case .notJoined, .alreadyJoined, .anotherPerson: self.init(aboutJoining: error)
        case .tooLarge, .wrongType, .notEncodable: self.init(aboutValue: error)
        case .guardNotWritten, .damagedRecord, .wrongChunk, .historyChanged, .malformedPage,
            .tooMuchUnreadable:
            let (message, hint) = Self.words(forFault: error)
            self.init(.failure, message, hint: hint)
        }
    }

    private init(aboutWhatIsMissing error: ReplicaError) {
        switch error {
        case .missing:
            self.init(.notFound, "there is no replica", hint: "'wake init' makes one")
        case .empty:
            self.init(
                .failure,
                "the file is empty, so there is no replica in it",
                hint: "'wake init' makes one in it; if there was one, " + Self.wayOut
            )
        case .unknownSpace(let space):
            self.init(
                .notFound,
                "this replica has no space \(space)",
                hint: "'wake fingerprint' lists its spaces"
            )
        default: preconditionFailure("\(error) is about something else")
        }
    }

    private init(aboutJoining error: ReplicaError) {
        switch error {
        case .notJoined:
            self.init(
                .attention,
                "this device has not joined a server",
                hint: "'wake join LINK', with a link of 'wake devices link' or of the server"
            )
        case .alreadyJoined(let authority):
            self.init(
                .attention,
                "this device joined \(authority) already",
                hint:
                    "'--new-key' where this server has a new key; '--again' where it lost everything, "
                    + "or revoked this device; another --data DIR for another person"
            )
        case .anotherPerson(let space):
            self.init(
                .attention,
                "the link is for another person than this device's, whose own space is \(space)",
                hint:
                    "nothing was mixed, and the link was not used; take a link of this person's: of "
                    + "'wake devices link' on another device or, where there is none, of "
                    + "'wake-server invite --space \(space)'"
            )
        default: preconditionFailure("\(error) is about something else")
        }
    }

    private init(aboutValue error: ReplicaError) {
        switch error {
        case .tooLarge(let field, let byteCount):
            self.init(.usage, "\(field) is too large: \(byteCount) bytes", hint: "shorten it")
        case .wrongType(let field, let expected):
            self.init(
                .usage,
                "\(field) cannot hold that",
                hint: "it takes \(expected)"
            )
        case .notEncodable(let field):
            self.init(.usage, "\(field) holds a value that cannot be stored")
        default: preconditionFailure("\(error) is about something else")
        }
    }

    /// Returns message and hint for faults of the disk, the server or a program.
    private static func words(forFault error: ReplicaError) -> (message: String, hint: String) {
        switch error {
        case .guardNotWritten(let code):
            let reason = SystemReason.text(code)
            return (
                "cannot write replica.db.seals: \(reason)",
                "make room, or see whether the data folder may be written; then run it again"
            )
        case .wrongChunk(let hash):
            return ("the bytes of chunk \(hash) are not its own", "'wake verify' tells how far")
        case .historyChanged(let space, let position):
            return (
                "the server's log of space \(space) is another one before position \(position)",
                "keep the data folder; the server may have been put back from a backup"
            )
        case .malformedPage(let space):
            return (
                "the server's page of space \(space) cannot be understood",
                "this wake may be too old for the server; what was written is queued and safe"
            )
        case .tooMuchUnreadable(let space):
            return (
                "the server's log of space \(space) has more that cannot be read than is kept",
                "install a newer wake; what was written is queued and safe"
            )
        default:
            return ("a record in replica.db is damaged", wayOut)
        }
    }

    /// Returns the reason why a change set cannot be used.
    static func words(for error: ChangeSetError) -> String {
        switch error {
        case .encoding: "it is not the CBOR that it should be"
        case .incomplete: "its header lacks something"
        case .unknownFormat(let format): "it has format \(format), which a newer wake reads"
        case .unknownCriticalKey(let key): "it needs feature \(key), which a newer wake has"
        case .unknownKeyEpoch(let epoch): "it is signed with key \(epoch), which is not here yet"
        case .badMAC: "no member signed it as it is"
        case .wrongBody, .wrongCellCount, .wrongChunks: "its body is not the one that was signed"
        case .tooLarge, .tooManyCells: "it is larger than a set may be"
        }
    }

    private init(describing error: ChangeSetError) {
        switch error {
        case .badMAC, .unknownKeyEpoch:
            self.init(
                .authentication,
                "a change set is not signed with a key that this device knows",
                hint: "'wake status' shows what is pending"
            )
        default: self.init(.failure, "a change set cannot be read: \(Self.words(for: error))")
        }
    }
}
