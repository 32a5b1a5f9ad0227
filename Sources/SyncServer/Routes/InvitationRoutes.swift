internal import SyncCore

extension Service {
    var invitationRoutes: [Operation] {
        [invitationCreation, invitationList, invitationWithdrawal]
    }

    private var invitationCreation: Operation {
        signed(
            "POST",
            "/v1/spaces/{space}/invitations",
            name: "invitation.create",
            Description(
                summary: "Registers a link of the caller that enrols one further device",
                isOnce: true,
                takes: .control(InvitationRequest.schema),
                gives: [Reply(status: 201, meaning: "The link is valid from now on")],
                problems: [.forbidden]
            )
        ) { context, caller in
            let invitation = try invitation(
                try context.json(InvitationRequest.self),
                to: try context.identifier("space"),
                by: caller.user
            )
            try await store.invite(invitation, by: caller.user)
            return HTTPResponse(201)
        }
    }

    private var invitationList: Operation {
        signed(
            "GET",
            "/v1/spaces/{space}/invitations",
            name: "invitation.list",
            Description(
                summary: "Lists the links of a space that can still be used",
                gives: [.with(.json(InvitationList.schema))],
                problems: [.forbidden]
            )
        ) { context, caller in
            let space = try context.identifier("space")
            let open = try await store.invitations(to: space, for: caller.user, at: now())
            return HTTPResponse(200, json: InvitationList(open))
        }
    }

    private var invitationWithdrawal: Operation {
        signed(
            "DELETE",
            "/v1/spaces/{space}/invitations/{token}",
            name: "invitation.withdraw",
            Description(
                summary: "Withdraws a link, named by the hash of its token",
                isOnce: true,
                gives: [.done],
                problems: [.forbidden]
            )
        ) { context, caller in
            let (space, token) = try (context.identifier("space"), context.digest("token"))
            try await store.withdraw(token, from: space, by: caller.user)
            return HTTPResponse(204)
        }
    }

    private func invitation(
        _ request: InvitationRequest,
        to space: Identifier,
        by user: Identifier
    ) throws -> Invitation {
        guard request.kind == "device",
            let token = Base64.url.decode(request.tokenHash).flatMap({ Digest(bytes: $0) }),
            let wrapped = Base64.url.decode(request.wrappedKey),
            wrapped.count == InvitationRequest.wrappedKeyByteCount,
            (1...RequestLimits.invitationSeconds).contains(request.validSeconds)
        else { throw Problem(.badEncoding, "kind, token hash, key or validity is malformed") }
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

/// The unused, unexpired invitations to a space.
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

    static let schema = Schema.object([
        "invitations": .list(of: .object(["tokenHash": .hash, "expires": .time]))
    ]).named("InvitationList")
}
