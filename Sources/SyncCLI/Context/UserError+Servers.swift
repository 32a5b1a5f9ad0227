import ProgramKit
import SyncCore

/// Messages for errors of servers and networks.
extension UserError {
    init(describing error: TransportError) {
        switch error {
        case .wrongKey, .notTrusted, .noTLS: self.init(aboutTrust: error)
        case .unreachable, .noHTTP, .timedOut, .replyTooLarge: self.init(aboutConnection: error)
        }
    }

    private init(aboutTrust error: TransportError) {
        switch error {
        case .wrongKey(let authority):
            self.init(
                .authentication,
                "what answers at \(authority) has another key than the one to trust",
                hint:
                    "nothing was sent, and what was written is queued and safe; a network that asks "
                    + "for a login does this; if the server really has a new key, 'wake join "
                    + "--new-key' with a new link"
            )
        case .notTrusted(let authority, let reason):
            self.init(
                .authentication,
                "what answers at \(authority) is not trusted: \(reason.asClause)",
                hint:
                    "nothing was sent, and what was written is queued and safe; see whether the network "
                    + "asks for a login, whether the clock is right, and the server's certificate good"
            )
        case .noTLS(let authority):
            self.init(
                .authentication,
                "what answers at \(authority) speaks no TLS, which the link asks for",
                hint:
                    "nothing was sent, and what was written is queued and safe; see whether the port is "
                    + "the one for devices, not for operators, and the server runs without --plain"
            )
        default: preconditionFailure("\(error) is about something else")
        }
    }

    private init(aboutConnection error: TransportError) {
        switch error {
        case .unreachable(let authority, let reason):
            self.init(
                .network,
                "cannot reach \(authority): \(reason.asClause)",
                hint: "what was written is queued and safe; try again when there is a network"
            )
        case .noHTTP(let authority):
            self.init(
                .network,
                "the connection to \(authority) was cut without an answer",
                hint:
                    "what was written is queued and safe; try again, and if the server speaks TLS by "
                    + "now, 'wake join --new-key' with a new link"
            )
        case .timedOut(let authority):
            self.init(
                .network,
                "no answer from \(authority) in time",
                hint: "what was written is queued and safe; try again later"
            )
        case .replyTooLarge(let byteLimit):
            self.init(
                .network,
                "the server's reply is longer than \(byteLimit) bytes",
                hint: "see whether this address is a Wake server's"
            )
        default: preconditionFailure("\(error) is about something else")
        }
    }

    init(describing problem: ServerProblem) {
        self.init(describing: ServerRefusal(type: problem.type, detail: problem.detail))
    }

    /// Describes a server's rejection of a request.
    init(describing refusal: ServerRefusal) {
        let detail = refusal.detail.withoutControls
        guard let type = refusal.type else {
            self.init(
                .network,
                "what answered is no Wake server: \(detail)",
                hint: "see whether the address is right, and whether the network asks for a login"
            )
            return
        }
        self.init(Self.code(for: type), "the server refused: \(detail)", hint: Self.hint(for: type))
    }

    private static func code(for type: ProblemType) -> ExitCode {
        switch type {
        case .unauthorized, .clockSkew, .badMAC, .forbidden: .authentication
        case .notFound: .notFound
        case .rateLimited, .internal, .unavailable, .storageFull: .network
        case .sequenceGap, .fork, .cursorReset, .cursorExpired, .upgradeRequired: .attention
        case .badEncoding, .methodNotAllowed, .tooLarge, .headTooLarge, .unsupportedEncoding,
            .rangeNotSatisfiable, .chunksMissing:
            .failure
        }
    }

    private static func hint(for type: ProblemType) -> String? {
        switch type {
        case .unauthorized:
            "a link is good once and for a while; a device that was revoked, or that the server lost, "
                + "keeps all that is on it and joins with 'wake join --again' and a new link"
        case .notFound:
            "if this device has joined as another person: a link by 'wake devices link' on one of "
                + "its own person's, and 'wake join --again' here"
        case .clockSkew: "set the clock of this machine"
        case .upgradeRequired: "install a newer wake"
        case .rateLimited, .internal, .unavailable, .storageFull:
            "what was written is queued and safe; try again later"
        default: nil
        }
    }

    init(describing error: EnrolmentError) {
        switch error {
        case .malformedReply:
            self.init(
                .network,
                "what answered is no Wake server, or a newer one: its answer cannot be understood",
                hint: "see whether the address is right, and whether the network asks for a login"
            )
        case .wrongWrap:
            self.init(
                .authentication,
                "the key of the space cannot be unwrapped with this link",
                hint: "copy the link once more, in full; or make a new one"
            )
        }
    }
}

extension String {
    /// The sentence as a clause after a colon; an initial abbreviation keeps its capitals.
    fileprivate var asClause: String {
        dropFirst().first?.isLowercase == true ? prefix(1).lowercased() + dropFirst() : self
    }
}
