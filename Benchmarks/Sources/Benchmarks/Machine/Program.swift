internal import CProbe
internal import Foundation

/// One of the programs that were built beside this one.
struct Program: Sendable {
    let path: String

    static let wake = Program(path: folder + "/wake")
    static let server = Program(path: folder + "/wake-server")
    static let nothing = Program(path: "/bin/true")

    private static let folder = Bundle.main.executableURL?.deletingLastPathComponent().path() ?? "."

    /// Runs the program to its end; its standard output is thrown away.
    ///
    /// - Parameter isWatched: whether its memory is read while it runs, which takes a little time.
    @discardableResult
    func run(_ arguments: [String], isWatched: Bool = false) throws -> (
        seconds: Double, peakMebibytes: Double
    ) {
        var words: [UnsafeMutablePointer<CChar>?] =
            unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var (seconds, peak) = (0.0, 0)
        let status =
            isWatched
            ? unsafe cprobe_run(&words, &seconds, &peak)
            : unsafe cprobe_run(&words, &seconds, nil)
        guard status == 0 else { throw ProgramError.failed(path, arguments, status: status) }
        return (seconds, Double(peak) / 1024)
    }

    /// Runs the program to its end; returns the steps of SQLite's virtual machine that it took.
    func steps(_ arguments: [String]) throws -> Int {
        let folder = try Folder()
        let counted = folder.path + "/steps"
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = [
            "LD_PRELOAD": Self.folder + "/libSteps.so", "STEPS_FILE": counted,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let text = try String(contentsOf: URL(filePath: counted), encoding: .utf8)
        guard process.terminationStatus == 0, let steps = Int(text.dropLast()), steps > 0 else {
            throw ProgramError.failed(path, arguments, status: process.terminationStatus)
        }
        return steps
    }

    /// What the program prints.
    func output(_ arguments: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Why a program could not be measured.
enum ProgramError: Error {
    /// It ended with another wait status than 0.
    case failed(String, [String], status: Int32)
    /// The server printed no address.
    case silent
}
