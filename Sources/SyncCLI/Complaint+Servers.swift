import SyncCore

/// The reason alone: the core tells the end of a sync in these words.
extension TransportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreachable(_, let reason): reason.asClause
        case .wrongKey: "what answers has another key than the server"
        case .notTrusted(_, let reason): reason.asClause
        case .noTLS: "what answers speaks no TLS"
        case .noHTTP: "the connection was cut without an answer"
        case .timedOut: "no answer in time"
        case .replyTooLarge(let byteLimit): "the reply is longer than \(byteLimit) bytes"
        }
    }
}

extension String {
    /// A sentence as it stands behind a colon; an abbreviation keeps its capitals.
    fileprivate var asClause: String {
        dropFirst().first?.isLowercase == true ? prefix(1).lowercased() + dropFirst() : self
    }
}

/// The words for servers and networks.
extension Complaint {
    init(describing error: TransportError) {
        switch error {
        case .unreachable(let authority, _):
            self.init(
                .network,
                "cannot reach \(authority): \(error)",
                hint: "what was written is queued and safe; try again when there is a network"
            )
        case .wrongKey(let authority):
            self.init(
                .authentication,
                "what answers at \(authority) has another key than the one to trust",
                hint:
                    "nothing was sent, and what was written is queued and safe; a network that asks "
                    + "for a login does this; if the server really has a new key, 'wake join' with a new link"
            )
        case .notTrusted(let authority, _):
            self.init(
                .authentication,
                "what answers at \(authority) is not trusted: \(error)",
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
        case .noHTTP(let authority):
            self.init(
                .network,
                "the connection to \(authority) was cut without an answer",
                hint:
                    "what was written is queued and safe; try again, and if the server speaks TLS by "
                    + "now, 'wake join' with a new link"
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
        }
    }

    init(describing problem: ServerProblem) {
        let detail = problem.detail.withoutControls
        guard let type = problem.type else {
            self.init(
                .network,
                "what answered is no Wake server: \(detail)",
                hint: "see whether the address is right, and whether the network asks for a login"
            )
            return
        }
        self.init(Self.code(for: type), "the server refused: \(detail)", hint: Self.hint(for: type))
    }

    /// A refusal that ended a sync.
    init(describing refusal: ServerRefusal) {
        self.init(
            refusal.type.map(Self.code) ?? .failure,
            "the server refused: \(refusal.detail.withoutControls)",
            hint: refusal.type.flatMap(Self.hint)
        )
    }

    private static func code(for type: ProblemType) -> ExitCode {
        switch type {
        case .unauthorized, .clockSkew, .badMAC, .forbidden: .authentication
        case .notFound: .notFound
        case .rateLimited, .internal, .unavailable, .storageFull: .network
        case .sequenceGap, .fork, .cursorReset, .cursorExpired, .upgradeRequired: .attention
        case .badEncoding, .methodNotAllowed, .tooLarge, .headTooLarge, .unsupportedEncoding,
            .chunksMissing:
            .failure
        }
    }

    private static func hint(for type: ProblemType) -> String? {
        switch type {
        case .unauthorized:
            "a link is good once and for a while; a device may have been revoked: what is on it stays, "
                + "and 'wake export' writes it out"
        case .clockSkew: "set the clock of this machine"
        case .notFound: "if the port is the one for operators, take the one for devices"
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
                .failure,
                "the server's answer cannot be understood",
                hint: "this wake may be too old for the server"
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
