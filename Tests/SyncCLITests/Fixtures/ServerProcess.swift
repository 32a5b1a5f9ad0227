import Foundation
import Harness

/// A `wake-server` in a process of its own, on a free port of this machine.
final class ServerProcess {
    private let process: SpawnedProcess
    private let folder: String

    /// The programs beside the tests.
    private static let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()

    init(folder: String) throws {
        self.folder = folder
        let output = Pipe()
        process = try SpawnedProcess(
            Self.programs.appending(path: "wake-server").path(),
            ["serve", "--data", folder, "--listen", "127.0.0.1:0", "--health", "127.0.0.1:0"],
            SpawnedProcess.Streams(output: output.fileHandleForWriting)
        )
        try output.fileHandleForWriting.close()
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
        let output = Pipe()
        let invitation = try SpawnedProcess(
            Self.programs.appending(path: "wake-server").path(),
            ["invite", name, "--data", folder],
            SpawnedProcess.Streams(output: output.fileHandleForWriting)
        )
        invitation.waitUntilExit()
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        return text.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("wake://") }
            .map(String.init) ?? text
    }

    func stop() {
        process.send(SIGTERM)
        process.waitUntilExit()
    }

    deinit {
        stop()
    }
}
