import Foundation

/// Programs of Debian that bend the world for another program; nil where they are not installed.
enum Tool {
    /// `faketime`: another wall clock.
    static let faketime = find("faketime")
    /// `fiu-run`: calls of the system that fail.
    static let fiu = find("fiu-run")

    private static func find(_ name: String) -> String? {
        let path = "/usr/bin/\(name)"
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }

    /// A program and its words as they are run under a clock that is off, such as by `+2h`.
    static func words(_ program: String, _ words: [String], clock offset: String) -> [String] {
        ["FAKETIME_DONT_FAKE_MONOTONIC=1", faketime ?? "", "-f", offset, program] + words
    }
}

extension Site {
    /// Starts a program whose wall clock is off.
    func start(
        _ program: String,
        _ words: [String],
        clock offset: String
    ) throws -> RunningProgram {
        try start("/usr/bin/env", Tool.words(program, words, clock: offset))
    }

    /// Starts a program whose calls of `name` fail, such as `posix/io/sync/fsync`.
    func start(
        _ program: String,
        _ words: [String],
        failing names: [String],
        with code: Int32 = EIO
    ) throws -> RunningProgram {
        let faults = names.flatMap { ["-c", "enable name=\($0),failinfo=\(code)"] }
        return try start(Tool.fiu ?? "", ["-x"] + faults + [program] + words)
    }

    /// Runs a line of the shell, in which `$wake` is the program.
    func shell(_ line: String) async throws -> Outcome {
        try await start(
            "/usr/bin/env",
            ["wake=\(BuiltProgram.wake.path)", "/bin/sh", "-c", line]
        ).finish()
    }
}
