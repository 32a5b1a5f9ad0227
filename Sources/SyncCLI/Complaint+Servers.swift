import SyncCore

/// The words for servers and networks.
extension Complaint {
    init(describing error: TransportError) {
        switch error {
        case .unreachable(let authority, let reason):
            self.init(
                .network,
                "cannot reach \(authority): \(reason.prefix(1).lowercased() + reason.dropFirst())",
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
        self.init(describing: ServerRefusal(type: problem.type, detail: problem.detail))
    }

    /// What a server answered instead of doing what it was asked for.
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
