import ProgramKit
import Testing

@testable import SyncServer

@Suite struct DoctorCommandTests {
    private func doctor(_ words: String...) throws -> Doctor {
        let output = Output(of: "wake-server", write: { _ in }, writeError: { _ in })
        let arguments = try Request.arguments(["doctor"] + words)
        return try DoctorCommand.doctor(
            arguments,
            ServerContext(output: output).following(arguments)
        )
    }

    @Test func `the doctor reads unless it is asked to repair`() throws {
        #expect(try !doctor("--data", "d").repairs)
        #expect(try doctor("--json", "--repair", "--data", "d").repairs)
        #expect(throws: UsageError.surplus("f", command: "doctor")) {
            try doctor("f", "--data", "d")
        }
    }

    @Test func `a certificate comes with its key`() throws {
        #expect(try doctor("--data", "d").given == nil)
        #expect(try doctor("--data", "d", "--certificate", "c", "--key", "k").given?.key == "k")
        #expect(throws: UsageError.missing("--key", command: "doctor")) {
            try doctor("--data", "d", "--certificate", "c")
        }
    }

    @Test(arguments: [[], ["--data", ""]])
    func `there is no folder that is meant unless it is named`(words: [String]) {
        #expect(throws: UserError.self) {
            let arguments = try Request.arguments(["doctor"] + words)
            let output = Output(of: "wake-server", write: { _ in }, writeError: { _ in })
            _ = try ServerContext(output: output).following(arguments).dataFolder()
        }
    }
}
