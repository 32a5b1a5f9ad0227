import Foundation
import Harness
import Testing

/// Results that cannot be written.
@Suite(.processes) struct StreamTests {
    @Test(
        arguments: [
            (
                "settings list > /dev/full", 1,
                "cannot write standard output: no space left on device"
            ),
            ("settings list >&-", 1, "cannot write standard output: bad file descriptor"),
            ("settings list 2>&-", 0, ""),
            ("settings list <&-", 0, ""),
            ("settings set metric no 2> /dev/full", 0, ""),
        ] as [(String, Int32, String)]
    )
    func `a result that cannot be written is told`(
        line: String,
        code: Int32,
        words: String
    ) async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let outcome = try await site.shell("\"$wake\" --data '\(boat.path)' \(line)")
        #expect(outcome.code == code, "\(outcome.errors)")
        #expect(words.isEmpty || outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test func `a reader that has seen enough is no error`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let outcome = try await site.shell(
            "\"$wake\" --data '\(boat.path)' sample --seconds 7200 | head -n 1"
        )
        #expect(outcome.code == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").count == 1)
    }

    @Test func `nothing that is printed gets into a file that is opened`() async throws {
        let site = try Site()
        let boat = try await site.device("boat")
        let file = site.path + "/all.gpx"
        let words = "--data '\(boat.path)' export --format gpx --output '\(file)'"
        let outcome = try await site.shell("\"$wake\" \(words) <&- >&- 2>&-")
        #expect(outcome.code == 1)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.hasPrefix("<?xml") && text.hasSuffix("</gpx>\n"), "\(text.suffix(80))")
    }
}
