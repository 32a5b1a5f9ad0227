import Foundation

/// Tools of Debian that bend the world for another program; nil where they are not installed.
enum Tool {
    /// The library of `faketime`: another wall clock.
    ///
    /// Its program would stand between us and the one that we start, and a signal would end it alone.
    static let faketime: String? = {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        return folders.map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }()

    /// `gpsbabel`, which reads and writes what others do.
    static let gpsbabel: String? = {
        let path = "/usr/bin/gpsbabel"
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// `gpsfake`, which feeds a real gpsd from a log.
    static let gpsfake: String? = {
        let path = "/usr/bin/gpsfake"
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// `fiu-run`: calls of the system that fail.
    static let fiu: String? = {
        let path = "/usr/bin/fiu-run"
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// A program and its words as `env` runs them under a clock that is off, such as by `+2h`.
    ///
    /// The library moves the environment of the first program that has it, behind which Swift looks
    /// for the arguments: so that is a shell, which then becomes ours.
    static func words(_ program: String, _ words: [String], clock offset: String) -> [String] {
        [
            "LD_PRELOAD=\(faketime ?? "")", "FAKETIME=\(offset)", "FAKETIME_DONT_FAKE_MONOTONIC=1",
            "/bin/sh", "-c", "exec \"$0\" \"$@\"", program,
        ] + words
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
