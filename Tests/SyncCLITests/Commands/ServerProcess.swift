import Foundation

/// A `wake-server` in a process of its own, on a free port of this machine.
final class ServerProcess {
    private let process = Process()
    private let folder: String

    /// The programs beside the tests.
    private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    init(folder: String) throws {
        self.folder = folder
        let output = Pipe()
        process.executableURL = Self.programs.appending(path: "wake-server")
        process.arguments = [
            "serve", "--data", folder, "--listen", "127.0.0.1:0", "--health", "127.0.0.1:0",
        ]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Until it says where it listens, or ends.
        var text = ""
        let reader = output.fileHandleForReading
        while !text.contains("listening on") {
            guard let data = try reader.read(upToCount: 1), !data.isEmpty else { return }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    /// A link for a new person's first device.
    func invite(_ name: String) throws -> String {
        let invitation = Process()
        let output = Pipe()
        invitation.executableURL = Self.programs.appending(path: "wake-server")
        invitation.arguments = ["invite", name, "--data", folder]
        invitation.standardOutput = output
        try invitation.run()
        invitation.waitUntilExit()
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("wake://") }
            .map(String.init) ?? text
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    deinit {
        if process.isRunning { process.terminate() }
    }
}
