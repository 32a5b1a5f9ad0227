internal import FoundationEssentials
import SyncCore

extension Library {
    /// Returns a client of the server that this device joined.
    ///
    /// `newTrust` replaces the stored trust.
    func client(_ context: Context, newTrust: ServerTrust? = nil) async throws -> ServerClient {
        let identity = try await replica.read { try $0.identity.current() }
        guard let authority = identity.authority, let trust = newTrust ?? identity.trust else {
            throw ReplicaError.notJoined
        }
        let random = context.random
        return ServerClient(
            transport: context.transport(authority, trust),
            authority: authority,
            keys: try await replica.read { try $0.identity.deviceKeys() },
            anchor: identity.anchor,
            now: { context.moment() },
            newIdentifier: {
                var random = random
                return .random(using: &random)
            }
        )
    }
}

extension ServerClient {
    /// Returns the devices of this person in enrolment order.
    func devices() async throws -> [DeviceRecord] {
        try await get("/v1/devices", as: DeviceList.self).devices
    }

    /// Returns the spaces of which this person is a member.
    func spaces() async throws -> [SpaceRecord] {
        try await get("/v1/spaces", as: SpaceList.self).spaces
    }

    /// Gets a JSON message.
    func get<Message: Decodable>(_ path: String, as type: Message.Type) async throws -> Message {
        let response = try await send(HTTPRequest("GET", path))
        do {
            return try JSONDecoder().decode(type, from: Data(response.body))
        } catch {
            throw EnrolmentError.malformedReply
        }
    }

    /// Registers a space at the server before its first sync; idempotent.
    func register(_ space: Identifier) async throws {
        _ = try await send(HTTPRequest("PUT", "/v1/spaces/\(space)"))
    }

    /// Revokes a device's access.
    func revoke(_ device: Identifier) async throws {
        _ = try await send(HTTPRequest("DELETE", "/v1/devices/\(device)"))
    }
}
