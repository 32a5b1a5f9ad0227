internal import SyncCore

extension Service {
    var enrolmentRoutes: [Operation] {
        [
            Operation(
                "POST",
                "/v1/enrol",
                name: "enrol",
                Description(
                    summary: "Enrols a device with the token of a link",
                    takes: .control(EnrolRequest.schema),
                    gives: [.with(.json(EnrolReply.schema))],
                    problems: [.unauthorized, .forbidden, .fork, .storageFull]
                )
            ) { context in try await enrol(try context.json(EnrolRequest.self)) },
            Operation(
                "PUT",
                "/v1/devices/me",
                name: "device.readmit",
                Description(
                    summary: "Enrols a device again that this server enrolled and lost",
                    isProven: true,
                    takes: .control(ReadmissionRequest.schema),
                    gives: [.done],
                    problems: [.storageFull]
                )
            ) { context in try await readmit(context) },
        ]
    }

    /// Readmits a device; an invalid proof gets the same answer as an unknown device.
    private func readmit(_ context: RequestContext) async throws -> HTTPResponse {
        let request = try context.json(ReadmissionRequest.self)
        guard let user = Identifier(exactly: request.user),
            let receipt = Base64.url.decode(request.receipt), receipt.count == 32,
            let key = Base64.url.decode(request.key), key.count == 32,
            request.name.utf8.count <= RequestLimits.nameBytes
        else { throw Problem(.badEncoding, "user, receipt, key or name is malformed") }
        let device = try authenticator.provenDevice(context, user: user, receipt: receipt)
        try await store.readmit(
            NewDevice(id: device, name: request.name, publicKey: key),
            of: user,
            at: now()
        )
        return HTTPResponse(204)
    }

    private func enrol(_ request: EnrolRequest) async throws -> HTTPResponse {
        guard let id = Identifier(exactly: request.device),
            let token = Base64.url.decode(request.token), token.count == 32,
            let key = Base64.url.decode(request.key), key.count == 32,
            request.name.utf8.count <= RequestLimits.nameBytes
        else { throw Problem(.badEncoding, "device, token, key or name is malformed") }
        let space = try request.space.map { text in
            guard let space = Identifier(exactly: text) else {
                throw Problem(.badEncoding, "space is malformed")
            }
            return space
        }
        let enrolled = try await store.enrol(
            NewDevice(id: id, name: request.name, publicKey: key, space: space),
            token: Digest(of: token),
            at: now()
        )
        return HTTPResponse(200, json: reply(to: enrolled))
    }

    private func reply(to enrolled: Enrolled) -> EnrolReply {
        let (id, user) = (enrolled.device.id, enrolled.device.user)
        let epoch = enrolled.device.keyEpoch
        return EnrolReply(
            user: user.description,
            device: id.description,
            keyEpoch: epoch,
            deviceKey: Base64.url.encode(keys.deviceSecret(of: id, epoch: epoch).bytes),
            space: enrolled.space?.description,
            wrappedKey: enrolled.wrappedKey.map(Base64.url.encode),
            receipt: Base64.url.encode(keys.enrolmentReceipt(of: id, user: user))
        )
    }
}
