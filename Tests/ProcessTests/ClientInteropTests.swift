import Foundation
import Harness
import Testing

/// A second implementation of the protocol in Python, which shares no code with Wake.
@Suite(.processes, .enabled(if: Inputs.python != nil, "not here: .build/venv"))
struct ClientInteropTests {
    /// Runs `client.py`; throws what it printed unless every step held.
    @discardableResult
    private func client(_ words: String..., in site: Site) async throws -> Outcome {
        let script = Inputs.packageRoot + "Tests/Interop/client.py"
        return try await site.start(try #require(Inputs.python), [script] + words).finish()
            .checked()
    }

    @Test func `a client written from the protocol alone judges every vector as its file says`()
        async throws
    {
        try await client("vectors", Inputs.packageRoot + "Tests/Vectors", in: Site())
    }

    @Test func `a client written from the protocol alone works with the server and the program`()
        async throws
    {
        let site = try Site()
        try await site.serving(["--plain"]) { _ in
            let link = try await site.invite()
            let told = try await client("run", link, "--wake", BuiltProgram.wake.path, in: site)
            // The last step: the program had invited the client.
            #expect(told.output.contains("three devices have fingerprint"), "\(told.output)")
        }
    }
}
