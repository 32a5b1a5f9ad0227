import Foundation
import ProgramKit
import SyncCore
import Synchronization

@testable import SyncCLI

/// A folder with a replica, into which a test imports.
struct Shore {
    private let scratch: ScratchFolder

    var folder: String { scratch.path }

    init() async throws {
        scratch = try ScratchFolder()
        _ = await run("init", "--name", "boat")
    }

    /// What a command printed, and how it ended.
    struct Outcome {
        let code: ExitCode
        let text: String
        let errors: String
    }

    func run(_ words: String..., input: [UInt8] = []) async -> Outcome {
        await run(words, input: input)
    }

    /// Runs a command; after so many questions whether a person interrupted it, one did.
    func run(
        _ words: [String],
        input: [UInt8] = [],
        temporaryFolder: String? = nil,
        interruptedAfter count: Int = .max
    ) async -> Outcome {
        var test = TestContext(
            environment: ["WAKE_DATA": folder + "/data", "TMPDIR": temporaryFolder ?? folder]
        )
        test.interrupt(after: count)
        // Elsewhere the input of a test is text, and comes at once.
        let rest = Mutex(input[...])
        test.context.input = {
            rest.withLock { rest in
                defer { rest = rest.dropFirst(1000) }
                return Array(rest.prefix(1000))
            }
        }
        let code = await Wake.program.run(words, in: test.context)
        return Outcome(code: code, text: test.output.take(), errors: test.error.take())
    }

    /// Puts a file into the folder; returns its path.
    @discardableResult
    func put(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(name)"))
        return "\(folder)/\(name)"
    }

    func tracks(deleted: Bool = false) async throws -> [Track] {
        let replica = try Replica(path: folder + "/data/replica.db")
        return try await replica.read {
            try $0.tracks.all(in: try $0.spaces.own(), deleted: deleted)
        }
    }
}

/// A track as a device writes it.
enum Sail {
    /// GPX of so many seconds, one point each `step`, begun at an hour of a day.
    static func gpx(
        _ name: String = "Morning sail",
        seconds: Int = 600,
        step: Int = 1,
        hour: Int = 9,
        north start: Double = 54.3,
        readings: String = ""
    ) -> [UInt8] {
        let points = stride(from: 0, to: seconds, by: step).map { second in
            let place = Double(second)
            let north = String(format: "%.7f", start + place * 3e-5 + sin(place / 50) * 1e-3)
            let east = String(format: "%.7f", 10.2 + place * 2e-5 + cos(place / 70) * 1e-3)
            let time = String(
                format: "2026-04-01T%02d:%02d:%02dZ",
                hour,
                second / 60,
                second % 60
            )
            return "<trkpt lat='\(north)' lon='\(east)'><time>\(time)</time>\(readings)</trkpt>"
        }
        let text = "<gpx><trk><name>\(name)</name><trkseg>\(points.joined())</trkseg></trk></gpx>"
        return Array(text.utf8)
    }
}
