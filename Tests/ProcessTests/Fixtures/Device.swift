import Foundation
import Harness
import SyncCore
import Testing

/// A device: a data folder that commands of `wake` work on.
struct Device: Sendable {
    let name: String
    let site: Site

    init(_ name: String, in site: Site) {
        self.name = name
        self.site = site
    }

    /// The data folder.
    var path: String { "\(site.path)/\(name)" }

    /// Starts a command.
    func start(_ words: [String], input: FileHandle? = nil) throws -> RunningProgram {
        try site.start(BuiltProgram.wake.path, ["--data", path] + words, input: input)
    }

    /// Runs a command, however it ends.
    func run(_ words: String...) async throws -> Outcome {
        try await start(words).finish()
    }

    /// Runs a command that must end with 0.
    @discardableResult
    func callAsFunction(_ words: String...) async throws -> Outcome {
        try await start(words).finish().checked()
    }

    /// A link for a further device of the same person.
    func link() async throws -> String {
        struct Answer: Decodable { let link: String }
        return try await self("devices", "link", "--json").json(Answer.self).link
    }

    /// Puts a copy of the whole data folder beside it, as `cp -a` does.
    func copied(as name: String) throws -> Device {
        let copy = Device(name, in: site)
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        return copy
    }
}

/// One track as `tracks list --json` tells it.
struct ListedTrack: Decodable, Hashable, Sendable {
    let id: String
    let name: String?
    let samples: Int
    let points: Int?
    let missingChunks: Int
}

/// One write as `tracks history --json` tells it.
struct HistoryWrite: Decodable, Hashable, Sendable {
    let field: String
    let text: String?
    let result: String
    let state: String

    private enum Member: String, CodingKey {
        case field, value, result, state
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        field = try container.decode(String.self, forKey: .field)
        // A value that is no text is of no interest here.
        text = try? container.decode(String.self, forKey: .value)
        result = try container.decode(String.self, forKey: .result)
        state = try container.decode(String.self, forKey: .state)
    }
}

extension Device {
    func tracks() async throws -> [ListedTrack] {
        struct Answer: Decodable { let tracks: [ListedTrack] }
        return try await self("tracks", "list", "--json").json(Answer.self).tracks
    }

    /// The texts that a field of a track ever had and that a set carries.
    func texts(of field: String, track: String) async throws -> [String] {
        struct Answer: Decodable { let writes: [HistoryWrite] }
        return try await self("tracks", "history", track, "--json").json(Answer.self).writes
            .filter { $0.field == field }.compactMap(\.text)
    }

    /// The hashes of this device's own sets whose verdict it was told.
    func toldSets() throws -> Set<Digest> {
        let database = try Database(path: path + "/replica.db")
        return Set(
            try database.all("SELECT hash FROM sealed WHERE own = 1 AND verdict IS NOT NULL") {
                $0.digest(0)
            }
        )
    }
}

extension Site {
    /// Checks that all devices show the same, that all they sent is there, and that all their
    /// chains, tags and hashes are right.
    ///
    /// By day it looks into every fourth track.
    func expectEqual(_ devices: Device..., sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        struct Status: Decodable {
            let isSent: Bool
            let pending: Int
            let mismatches: Int
            let wantedChunks: Int
        }
        for device in devices {
            try await device("verify")
            let status = try await device("status", "--json").json(Status.self)
            #expect(status.isSent && status.pending + status.mismatches + status.wantedChunks == 0)
        }
        let tracks = try await devices[0].tracks()
        let questions =
            [["fingerprint"], ["tracks", "list"], ["settings", "list"], ["trash"]]
            + Rounds.sample(tracks, every: 4).flatMap {
                [["tracks", "show", $0.id], ["tracks", "history", $0.id]]
            }
        for question in questions {
            var answers: Set<String> = []
            for device in devices {
                let outcome = try await device.start(question + ["--json"]).finish()
                answers.insert(try outcome.checked().output)
            }
            #expect(answers.count == 1, "\(question)", sourceLocation: sourceLocation)
        }
    }
}
