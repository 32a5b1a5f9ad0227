import SyncCore

/// The reason alone: the core tells the end of a sync in these words.
extension TransportError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreachable(_, let reason):
            reason.prefix(1).lowercased() + reason.dropFirst()
        case .timedOut: "no answer in time"
        case .replyTooLarge(let byteLimit): "the reply is longer than \(byteLimit) bytes"
        }
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
