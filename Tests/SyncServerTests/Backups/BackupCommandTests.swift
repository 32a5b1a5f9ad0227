import ProgramKit
import Testing

@testable import SyncServer

@Suite struct BackupCommandTests {
    @Test(arguments: [["backup", "f", "--data", "d"], ["backup", "--data=d", "f"]])
    func `a backup has a file and a folder`(words: [String]) throws {
        let arguments = try Request.arguments(words)
        #expect(arguments.required("FILE") == "f")
        #expect(arguments.option("--data") == "d")
    }

    @Test(
        arguments: [
            (["backup"], .missing("FILE", command: "backup")),
            (["backup", "f", "g"], .surplus("g", command: "backup")),
            (["backup", "f", "--empty"], .unknownOption("--empty", nearest: nil)),
        ] as [([String], UsageError)]
    )
    func `what is not understood is named`(words: [String], error: UsageError) {
        #expect(throws: error) { try Request.arguments(words) }
    }

    @Test func `what is restored is a file or nothing`() throws {
        func file(_ words: String...) throws -> String? {
            try RestoreCommand.file(Request.arguments(["restore"] + words))
        }
        #expect(try file("f") == "f")
        #expect(try file("--empty") == nil)
        #expect(throws: UsageError.missing("FILE", command: "restore")) { try file() }
        #expect(throws: ConfigurationError.notTogether("FILE", "--empty")) {
            try file("f", "--empty")
        }
    }
}
