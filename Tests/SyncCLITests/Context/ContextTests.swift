import ProgramKit
import Testing

@testable import SyncCLI

@Suite struct ContextTests {
    @Test(
        arguments: [
            (["--data", "/x", "export"], ["WAKE_DATA": "/y"], "/x"),
            (["export"], ["WAKE_DATA": "/y", "HOME": "/h"], "/y"),
            (["export"], ["XDG_DATA_HOME": "/d", "HOME": "/h"], "/d/wake"),
            (["export"], ["XDG_DATA_HOME": "", "HOME": "/h"], "/h/.local/share/wake"),
            (["export"], [:], "cannot find the data folder: HOME is not set"),
        ] as [([String], [String: String], String)]
    )
    func `the data folder is found`(
        words: [String],
        environment: [String: String],
        folder: String
    ) {
        let test = TestContext(environment: environment)
        let answer: String
        do {
            let request = try Request(words, of: Wake.program)
            guard case .run(_, let arguments) = request else { return }
            answer = try test.context.following(arguments).dataFolder()
        } catch {
            answer = UserError(describing: error).message
        }
        #expect(answer.contains(folder))
    }

    @Test func `help fits into 80 columns`() async {
        let names = Wake.program.commands.map { $0.name.split(separator: " ").map(String.init) }
        for words in [[]] + names {
            let test = TestContext(environment: ["HOME": "/h"])
            #expect(await Wake.program.run(["help"] + words, in: test.context) == .success)
            for line in test.output.take().split(separator: "\n") {
                #expect(line.count <= 80, "\(line)")
            }
        }
    }
}
