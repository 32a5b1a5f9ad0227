internal import FoundationEssentials
internal import SyncCore

extension Service {
    var enrolmentRoutes: [Route] {
        [
            Route("POST", "/v1/enrol", name: "enrol") { context in
                try await enrol(try context.json(EnrolRequest.self))
            }
        ]
    }

    private func enrol(_ request: EnrolRequest) async throws -> HTTPResponse {
        guard let id = Identifier(request.device), let token = Base64.url.decode(request.token),
            token.count == 32, let key = Base64.url.decode(request.key), key.count == 32,
            request.name.utf8.count <= 200
        else { throw Problem(.badEncoding, "device, token, key or name is not of its form") }
        let enrolled = try await Problem.translating {
            try await store.enrol(
                NewDevice(id: id, name: request.name, publicKey: key),
                token: Digest(of: token),
                at: now()
            )
        }
        let epoch = enrolled.device.keyEpoch
        return HTTPResponse(
            200,
            json: EnrolReply(
                user: enrolled.device.user.description,
                device: id.description,
                keyEpoch: epoch,
                deviceKey: Base64.url.encode(keys.deviceSecret(of: id, epoch: epoch).bytes),
                space: enrolled.space?.description,
                wrappedKey: enrolled.wrappedKey.map(Base64.url.encode)
            )
        )
    }
}

extension RequestContext {
    /// The body as a JSON document of one of the protocol's shapes.
    func json<Document: Decodable>(_ type: Document.Type) throws -> Document {
        do {
            return try JSONDecoder().decode(type, from: Data(request.body))
        } catch {
            throw Problem(.badEncoding, "the body is not the JSON that belongs here")
        }
    }
}
