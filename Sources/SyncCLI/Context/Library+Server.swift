internal import FoundationEssentials
import SyncCore

extension Library {
    /// The server that this device joined, with the way to authenticate it.
    func server() async throws -> (authority: String, trust: ServerTrust) {
        let identity = try await replica.read { try $0.identity.current() }
        guard let authority = identity.authority, let trust = identity.trust else {
            throw ReplicaError.notJoined
        }
        return (authority, trust)
    }

    /// Returns what enrols this device again at its server.
    func enroller(_ context: Context) async throws -> Enroller {
        let (authority, trust) = try await server()
        return Enroller(
            transport: context.transport(authority, trust),
            authority: authority,
            trust: trust
        )
    }

    /// Returns a client of the server that this device joined.
    func client(_ context: Context) async throws -> ServerClient {
        let (authority, trust) = try await server()
        let random = context.random
        return ServerClient(
            transport: context.transport(authority, trust),
            authority: authority,
            keys: try await replica.read { try $0.identity.deviceKeys() },
            anchor: try await replica.read { try $0.identity.current() }.anchor,
            now: { context.moment() },
            newIdentifier: {
                var random = random
                return .random(using: &random)
            }
        )
    }
}

extension ServerClient {
    /// Gets a JSON message.
    func get<Message: Decodable>(_ path: String, as type: Message.Type) async throws -> Message {
        let response = try await send(HTTPRequest("GET", path))
        do {
            return try JSONDecoder().decode(type, from: Data(response.body))
        } catch {
            throw EnrolmentError.malformedReply
        }
    }
}
