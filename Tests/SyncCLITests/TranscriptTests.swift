import Foundation
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// Runs the sessions in `Transcripts/` and compares all that they print.
///
/// A file is a list of commands, each with what it prints:
///
///     # a remark
///     $ wake tracks list < $TMP/input
///     a line of standard output
///     ! a line of standard error
///     ? 3
///
/// `? N` is the exit code, 0 where it is missing. The commands of a file share one folder, `$TMP`,
/// the data in it, one clock that stands at 2026-05-01T09:30:00Z, and one sequence of random
/// numbers. In what is expected, `[..]` stands for any text in a line, and a line `...` for any
/// lines. Before a command, `TZ=Asia/Tokyo` sets a variable of its environment; the machine has no
/// zone of its own. `$ write NAME TEXT` puts a line into a file of the folder, and `> $TMP/NAME` at
/// the end of a command its standard output. `$SHARED` is the folder of real recordings; a session
/// with it is left out where they are not.
@Suite struct TranscriptTests {
    @Test(arguments: try Transcript.all())
    func `a session prints what it says`(transcript: Transcript) async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "wake-\(UInt64.random(in: .min ... .max))").path()
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let random = RandomSource.seeded(1)
        for step in transcript.steps {
            let printed = try await step.run(in: folder, random: random)
            let matches = Transcript.matches(printed[...], step.expected[...])
            #expect(
                matches,
                """
                \(transcript.path):\(step.line): \(step.command)
                expected:
                \(step.expected.joined(separator: "\n"))
                printed:
                \(printed.joined(separator: "\n"))
                """
            )
        }
    }

    @Test(
        arguments: [
            (["a"], ["a"], true), (["a"], ["b"], false), (["a", "b"], ["..."], true),
            (["a", "b", "c"], ["a", "...", "c"], true), (["a"], [], false), ([], ["..."], true),
            (["id 7k3m, new"], ["id [..], new"], true), (["id 7k3m"], ["id [..], new"], false),
        ] as [([String], [String], Bool)]
    )
    func `wildcards stand for text and for lines`(
        printed: [String],
        expected: [String],
        matches: Bool
    ) {
        #expect(Transcript.matches(printed[...], expected[...]) == matches)
    }
}

/// One file of commands and what they print.
struct Transcript: CustomTestStringConvertible, Sendable {
    let path: String
    let steps: [Step]

    var testDescription: String { path }

    /// One command.
    struct Step: Sendable {
        let line: Int
        let command: String
        var expected: [String]
    }

    init(path: String, text: String) {
        self.path = path
        var steps: [Step] = []
        for (index, line) in text.split(separator: "\n").enumerated() where !line.hasPrefix("#") {
            if line.hasPrefix("$ ") {
                let command = String(line.dropFirst(2))
                steps.append(Step(line: index + 1, command: command, expected: []))
            } else if !steps.isEmpty {
                steps[steps.count - 1].expected.append(String(line))
            }
        }
        self.steps = steps
    }

    static func all() throws -> [Transcript] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Transcripts")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path())
            .filter { $0.hasSuffix(".txt") }.sorted()
            .map { name in
                let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                return Transcript(path: name, text: text)
            }
            .filter { transcript in
                SharedFolder.isHere || !transcript.steps.contains { $0.command.contains("$SHARED") }
            }
    }

    /// Whether the lines are the expected ones.
    static func matches(_ printed: ArraySlice<String>, _ expected: ArraySlice<String>) -> Bool {
        guard let pattern = expected.first else { return printed.isEmpty }
        if pattern == "..." {
            return (printed.startIndex...printed.endIndex).contains { index in
                matches(printed[index...], expected.dropFirst())
            }
        }
        guard let line = printed.first, matches(line, pattern) else { return false }
        return matches(printed.dropFirst(), expected.dropFirst())
    }

    private static func matches(_ line: String, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: "[..]", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return line == pattern }
        var rest = Substring(line)
        guard rest.hasPrefix(parts[0]) else { return false }
        rest = rest.dropFirst(parts[0].count)
        for part in parts.dropFirst().dropLast() {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(parts[parts.count - 1])
    }
}

extension Transcript.Step {
    /// Runs the command; returns its standard output, its standard error and its exit code.
    func run(in folder: String, random: RandomSource) async throws -> [String] {
        let line = command.replacing("$TMP", with: folder).replacing("$SHARED", with: shared)
        var words = Self.words(of: line)
        var environment = ["WAKE_DATA": folder + "/data"]
        while let variable = words[0].wholeMatch(of: /([A-Z]+)=(.*)/) {
            environment[String(variable.1)] = String(variable.2)
            words.removeFirst()
        }
        let program = words.removeFirst()
        if program == "write" {
            let parts = command.split(separator: " ", maxSplits: 2)
            let text = parts[2] + "\n"
            try text.write(toFile: "\(folder)/\(parts[1])", atomically: true, encoding: .utf8)
            return []
        }
        var target: String?
        if let redirect = words.firstIndex(of: ">") {
            target = words[redirect + 1]
            words.removeSubrange(redirect...)
        }
        var input = ""
        if let redirect = words.firstIndex(of: "<") {
            input = try String(contentsOfFile: words[redirect + 1], encoding: .utf8)
            words.removeSubrange(redirect...)
        }
        var test = TestContext(environment: environment, input: input)
        test.context.random = random
        let code = await Wake.program.run(words, in: test.context)
        let output = test.output.take()
        if let target { try output.write(toFile: target, atomically: true, encoding: .utf8) }
        var lines = target == nil ? Self.lines(of: output) : []
        lines += Self.lines(of: test.error.take()).map { "! " + $0 }
        if code != .success { lines.append("? \(code.rawValue)") }
        return lines.map {
            $0.replacing(folder, with: "$TMP").replacing(shared, with: "$SHARED")
        }
    }

    /// Real recordings that are never copied into the repository.
    private var shared: String { SharedFolder.path }

    /// Lines that are not empty, since empty lines separate the commands of a transcript.
    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n").map(String.init)
    }

    /// Splits at spaces that are not between quotes.
    static func words(of line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if quote == nil, character == " " {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
