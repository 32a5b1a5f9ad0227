internal import SyncCore

extension Service {
    /// A link is good for at most seven days.
    private static let longestValiditySeconds = 7 * 24 * 3600

    var invitationRoutes: [Route] {
        [
            Route("POST", "/v1/spaces/{space}/invitations", name: "invitation.create") { context in
                let caller = try await authenticator.callerOnce(of: context)
                let invitation = try invitation(
                    try context.json(InvitationRequest.self),
                    to: try context.identifier("space"),
                    by: caller.user
                )
                try await Problem.translating {
                    try await store.invite(invitation, by: caller.user)
                }
                return HTTPResponse(201)
            },
            Route("GET", "/v1/spaces/{space}/invitations", name: "invitation.list") { context in
                let caller = try await authenticator.caller(of: context)
                let space = try context.identifier("space")
                let open = try await Problem.translating {
                    try await store.invitations(to: space, for: caller.user, at: now())
                }
                return HTTPResponse(200, json: InvitationList(open))
            },
            Route(
                "DELETE",
                "/v1/spaces/{space}/invitations/{token}",
                name: "invitation.withdraw"
            ) { context in
                let caller = try await authenticator.callerOnce(of: context)
                let (space, token) = try (context.identifier("space"), context.digest("token"))
                try await Problem.translating {
                    try await store.withdraw(token, from: space, by: caller.user)
                }
                return HTTPResponse(204)
            },
        ]
    }

    private func invitation(
        _ request: InvitationRequest,
        to space: Identifier,
        by user: Identifier
    ) throws -> Invitation {
        guard request.kind == "device",
            let token = Base64.url.decode(request.tokenHash).flatMap({ Digest(bytes: $0) }),
            let wrapped = Base64.url.decode(request.wrappedKey), (28...256).contains(wrapped.count),
            (1...Self.longestValiditySeconds).contains(request.validSeconds)
        else { throw Problem(.badEncoding, "kind, token hash, key or validity is not of its form") }
        let expires = now().milliseconds + Int64(request.validSeconds) * 1000
        return Invitation(
            token: token,
            user: user,
            space: space,
            wrappedKey: wrapped,
            expires: UnixTime(milliseconds: expires)
        )
    }
}

/// The invitations of a space that can still be used.
private struct InvitationList: Encodable {
    struct Record: Encodable {
        let tokenHash: String
        let expires: Int64
    }

    let invitations: [Record]

    init(_ invitations: [Invitation]) {
        self.invitations = invitations.map {
            Record(tokenHash: $0.token.description, expires: $0.expires.milliseconds)
        }
    }
}
