import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// Something answers in a server's place.
@Suite struct PortalTests {
    /// Gives every request the same answer.
    private struct Portal: Transport {
        let response: HTTPResponse

        func send(_ request: HTTPRequest) async throws -> HTTPResponse { response }
    }

    @Test(
        arguments: [
            HTTPResponse(200, body: Array("<html>log in</html>".utf8)),
            HTTPResponse(200, body: [0xff, 0x00, 0x81]),
            HTTPResponse(200),
            HTTPResponse(302, headers: ["location": "http://login/"]),
            HTTPResponse(511, body: Array("<html>log in</html>".utf8)),
            HTTPResponse(404, body: Array("no such page".utf8)),
        ]
    )
    func `N4 a network that asks for a login is told, and the link stays good`(
        response: HTTPResponse
    ) async throws {
        let folder = try ScratchFolder()
        var test = TestContext(environment: ["WAKE_DATA": folder.path])
        test.context.transport = { _, _ in Portal(response: response) }
        let program = Wake.program
        _ = await program.run(["init", "--name", "boat"], in: test.context)
        let link = "wake://h:1/#0123456789abcdefghjkmnpqrs.ca"
        let code = await program.run(["join", link], in: test.context)
        let errors = test.error.take()
        #expect(code == .network, "\(errors)")
        #expect(errors.contains("the response is not from a Wake server"), "\(errors)")
        #expect(errors.contains("whether the network requires a login"), "\(errors)")
        let replica = try Replica(path: folder.path + "/replica.db")
        #expect(try await replica.read { try $0.identity.current() }.authority == nil)
    }
}
