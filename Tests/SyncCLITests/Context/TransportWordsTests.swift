@testable import SyncCore
import Testing

import ProgramKit
@testable import SyncCLI

/// What a person reads of a network that does not lead to the server.
@Suite struct TransportWordsTests {
    private static let authority = "h:1"

    @Test(
        arguments: [
            (TransportError.wrongKey(authority: authority), ExitCode.authentication, "another key"),
            (
                .notTrusted(authority: authority, reason: "SSL certificate problem: expired"),
                .authentication, "not trusted: SSL certificate problem: expired"
            ),
            (
                .notTrusted(authority: authority, reason: "Unsupported protocol"),
                .authentication, "not trusted: unsupported protocol"
            ),
            (.noTLS(authority: authority), .authentication, "does not use TLS"),
            (.noHTTP(authority: authority), .network, "closed the connection without a response"),
            (.timedOut(authority: authority), .network, "did not respond in time"),
            (
                .unreachable(authority: authority, reason: "Couldn't connect to server"), .network,
                "cannot reach h:1: couldn't connect to server"
            ),
        ]
    )
    func `each failure says what it means, and that the work is safe`(
        error: TransportError,
        code: ExitCode,
        text: String
    ) throws {
        let userError = UserError(describing: error)
        #expect(userError.code == code)
        #expect(userError.message.contains(Self.authority))
        #expect(userError.message.contains(text))
        #expect(try #require(userError.hint).contains("queued and safe"))
    }

    @Test func `a sync that met another server ends as an authentication does`() throws {
        let error = TransportError.wrongKey(authority: Self.authority)
        var result = SyncResult()
        result.end = .untrusted(error)
        let report = SyncReport(
            result: result,
            collections: [],
            authority: Self.authority
        )
        #expect(report.userError == UserError(describing: error))
        #expect(report.json.compact.contains("\"end\":\"untrusted\""))
    }
}
