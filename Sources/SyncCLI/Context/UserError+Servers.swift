import ProgramKit
import SyncCore

/// Messages for errors of servers and networks.
extension UserError {
    init(describing error: TransportError) {
        switch error {
        case .wrongKey(let authority):
            self = .authentication(
                "\(authority) presented another key than the trusted one",
                hint: "nothing was sent; " + Self.queued + "a network that requires a login can "
                    + "cause this; if the server really has a new key, use " + Self.joinAgain
            )
        case .notTrusted(let authority, let reason):
            self = .authentication(
                "\(authority) is not trusted: \(reason.asClause)",
                hint: "nothing was sent; " + Self.queued + "check that the network does not "
                    + "require a login, that the clock is right and the server's certificate valid"
            )
        case .noTLS(let authority):
            self = .authentication(
                "\(authority) does not use TLS, which the link requires",
                hint: "nothing was sent; " + Self.queued + "check that the port is the one for "
                    + "devices, not for operators, and that the server runs without --plain"
            )
        case .unreachable(let authority, let reason):
            let hint = Self.queued + "try again when you are online"
            self = .network("cannot reach \(authority): \(reason.asClause)", hint: hint)
        case .noHTTP(let authority):
            self = .network(
                "\(authority) closed the connection without a response",
                hint: Self.queued + "try again; if the server uses TLS now, use " + Self.joinAgain
            )
        case .timedOut(let authority):
            let hint = Self.queued + "try again later"
            self = .network("\(authority) did not respond in time", hint: hint)
        case .replyTooLarge(let byteLimit):
            let hint = "check that this is the address of a Wake server"
            self = .network("the server's reply is longer than \(byteLimit) bytes", hint: hint)
        }
    }

    private static let queued = "your changes are queued and safe; "
    private static let joinAgain = "'wake join --new-key' with a new link"

    /// Describes a server's rejection of a request.
    init(describing refusal: ServerRefusal) {
        let detail = refusal.detail.withoutControls
        guard let type = refusal.type else {
            guard !refusal.isDamaged else {
                let hint =
                    "run it again; if it stays so, check the network and any proxy on the way"
                self = .network(detail, hint: hint)
                return
            }
            self = .network(
                "the response is not from a Wake server: \(detail)",
                hint: "check the address, and whether the network requires a login"
            )
            return
        }
        self.init(
            Self.code(for: type),
            "the server rejected the request: \(detail)",
            hint: Self.hint(for: type)
        )
    }

    private static func code(for type: ProblemType) -> ExitCode {
        switch type {
        case .unauthorized, .clockSkew, .badMAC, .forbidden: .authentication
        case .notFound: .notFound
        case .rateLimited, .internal, .unavailable, .storageFull: .network
        case .sequenceGap, .fork, .stale, .cursorReset, .upgradeRequired: .attention
        case .badEncoding, .methodNotAllowed, .tooLarge, .headTooLarge, .unsupportedEncoding,
            .rangeNotSatisfiable, .chunksMissing:
            .failure
        }
    }

    private static func hint(for type: ProblemType) -> String? {
        switch type {
        case .unauthorized:
            "run it again, as the network may have damaged the request; a link works once and for a limited "
                + "time; a device that was revoked, or that the server lost, keeps its data and can join "
                + "with 'wake join --again' and a new link"
        case .notFound:
            "if this device joined as another person, run 'wake devices link' on a device of the right "
                + "person, and 'wake join --again' with that link here"
        case .clockSkew: "set the clock of this machine"
        case .upgradeRequired: "install a newer wake"
        case .rateLimited, .internal, .unavailable, .storageFull:
            "your changes are queued and safe; try again later"
        default: nil
        }
    }

    init(describing error: EnrolmentError) {
        switch error {
        case .malformedReply:
            self = .network(
                "the response is not from a Wake server, or from a newer one: it is malformed",
                hint: "check the address, and whether the network requires a login"
            )
        case .wrongWrap:
            self = .authentication(
                "cannot decrypt the key of the space with this link",
                hint: "copy the link again, in full, or create a new one"
            )
        case .otherHistory:
            self = .authentication(
                "the link and the server do not agree on the devices and keys of this person",
                hint: "nothing was changed; make a new link, or ask the server's operator first"
            )
        case .brokenChain:
            self = .authentication(
                "the server shows other devices and keys than those that your devices agreed on",
                hint: "nothing was changed; do not use this server before its operator explains it"
            )
        case .revoked:
            self = .authentication(
                "this device was revoked, so it cannot let a new one in",
                hint: "use a link from 'wake devices link' on another device, or a recovery code"
            )
        case .stale:
            self = .network(
                "other devices kept changing the list of devices",
                hint: "try again later"
            )
        case .refused(let problem): self = Self.refused(problem)
        }
    }

    /// Describes why the server does not take a control set by which a device enters.
    private static func refused(_ problem: String) -> UserError {
        guard problem != ProblemType.sequenceGap.rawValue else {
            return .attention(
                "the server was restored, and lacks changes of devices or keys that it had before",
                hint:
                    "sync your other devices, which bring them, then run this again; if none has them, the "
                    + "operator can run 'wake-server spaces release'"
            )
        }
        return .authentication(
            "the server refused: "
                + (ProblemType(rawValue: problem)?.title.lowercased() ?? problem),
            hint: "a link works once and for a limited time; nothing was changed here"
        )
    }
}

extension String {
    /// The sentence as a clause after a colon; an initial abbreviation keeps its capitals.
    fileprivate var asClause: String {
        dropFirst().first?.isLowercase == true ? prefix(1).lowercased() + dropFirst() : self
    }
}
