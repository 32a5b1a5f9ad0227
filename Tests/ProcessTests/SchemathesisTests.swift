import Foundation
import Harness
import Testing

/// The server's own description, held against the server by PyPI's schemathesis.
@Suite(
    .processes,
    .enabled(if: Inputs.schemathesis != nil, "not here: .build/venv")
)
struct SchemathesisTests {
    /// How many examples each operation gets in a phase: `$WAKE_EXAMPLES`, else a few.
    private static let examples = Rounds.number("WAKE_EXAMPLES") ?? 5

    /// Asks everything that the description of a server has.
    private func ask(_ server: RunningServer, _ link: String?, _ site: Site) async throws {
        let interop = Inputs.packageRoot + "Tests/Interop"
        let identity = link.map { ["WAKE_LINK=\($0)"] } ?? []
        // That nothing but 401 is ever answered is what a stranger is to find.
        let warnings = link == nil ? ["--warnings=off"] : []
        let outcome = try await site.start(
            "/usr/bin/env",
            ["--chdir=\(site.path)", "PYTHONPATH=\(interop)", "SCHEMATHESIS_HOOKS=sign"] + identity
                + [
                    try #require(Inputs.schemathesis),
                    "--config-file=\(interop)/schemathesis.toml", "--no-color", "run",
                    "http://\(server.address)/v1/openapi.json", "--seed=1", "--checks=all",
                    "--max-examples=\(Self.examples)",
                ] + warnings
        ).finish()
        #expect(outcome.code == 0, "\(outcome.output)\(outcome.errors)")
        #expect(server.program.isRunning)
    }

    @Test func `all that a device can ask is answered as described`() async throws {
        let site = try Site()
        try await site.serving(["--plain"]) { try await ask($0, site.invite(), site) }
    }

    @Test func `all that a stranger can ask is answered as described`() async throws {
        let site = try Site()
        try await site.serving(["--plain"]) { try await ask($0, nil, site) }
    }

    @Test func `the description is OpenAPI 3.1`() async throws {
        let site = try Site()
        let script = """
            import sys, requests, openapi_spec_validator
            document = requests.get(sys.argv[1], timeout=10).json()
            assert document["openapi"].startswith("3.1.")
            openapi_spec_validator.validate(document)
            """
        try await site.serving(["--plain"]) { server in
            let url = "http://\(server.address)/v1/openapi.json"
            let python = try #require(Inputs.python)
            _ = try await site.start(python, ["-c", script, url]).finish().checked()
        }
    }
}
