import ProgramKit

@testable import SyncServer

/// What `wake-server` answers to a command line, in this process.
struct ProgramRun {
    let code: ExitCode
    let output: String
    let errors: String

    init(_ words: [String]) async {
        let written = Locked<[UInt8]>([])
        let complained = Locked<[UInt8]>([])
        let streams = Output(
            of: "wake-server",
            write: { bytes in written.withLock { $0 += bytes } },
            writeError: { bytes in complained.withLock { $0 += bytes } }
        )
        code = await WakeServer.program.run(words, in: ServerContext(output: streams))
        output = written.withLock { String(decoding: $0, as: UTF8.self) }
        errors = complained.withLock { String(decoding: $0, as: UTF8.self) }
    }
}
