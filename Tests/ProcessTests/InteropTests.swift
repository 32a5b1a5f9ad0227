import Foundation
import SyncCore
import Testing

/// What a device sealed, checked with PyPI's pycose and no code of Wake.
@Suite(.timeLimit(.minutes(2)), .enabled(if: Inputs.python != nil, "not here: .build/venv"))
struct InteropTests {
    /// A device that recorded or imported, edited and synced.
    private func exported(_ site: Site) async throws -> (sealed: String, keys: String) {
        let (sealed, keys) = (site.path + "/sealed", site.path + "/keys")
        try await site.serving { _ in
            let boat = try await site.device("boat")
            if let shared = Inputs.shared {
                try await boat("record", "--nmea", shared + "/nmea/bundg_zeus_9.log")
                try await boat("import", shared + "/gpx/mtk_logger_m241_multiple_tracks.gpx")
            } else {
                let file = try site.file("a.gpx", Inputs.gpx(name: "generated", points: 9000))
                try await boat("import", file)
            }
            try await boat("join", try await site.invite())
            let id = try #require(try await boat.tracks().first?.id)
            for number in 1...5 {
                try await boat("tracks", "rename", id, "Größe \(number) ⛵️")
                try await boat(
                    "settings",
                    "set",
                    "heartRateZones",
                    "100,120,140,160,\(180 + number)"
                )
                try await boat("sync")
            }
            try await boat("export", "--sealed", sealed)
            try await boat("export", "--keys", keys)
        }
        return (sealed, keys)
    }

    private func verify(_ sealed: String, _ keys: String, _ site: Site) async throws -> Outcome {
        let script = Inputs.packageRoot + "Tests/Interop/verify.py"
        return try await site.start(try #require(Inputs.python), [script, sealed, keys]).finish()
    }

    @Test func `pycose verifies every tag, hash and chain, and refuses every flipped byte`()
        async throws
    {
        struct Counts: Decodable {
            let sets: Int
            let cells: Int
            let chains: Int
        }
        let site = try Site()
        let (sealed, keys) = try await exported(site)
        let counts = try await verify(sealed, keys, site).checked().json(Counts.self)
        #expect(counts.sets >= 5 && counts.cells > counts.sets && counts.chains == 1)
        let bytes = try Data(contentsOf: URL(filePath: sealed))
        var generator = SplitMix64(seed: 1)
        for _ in 0..<12 {
            let place = Int.random(in: bytes.indices, using: &generator)
            var damaged = bytes
            damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try damaged.write(to: URL(filePath: sealed + ".damaged"))
            let outcome = try await verify(sealed + ".damaged", keys, site)
            #expect(outcome.code == 1 && outcome.errors.hasPrefix("refused: "), "byte \(place)")
        }
    }

    @Test func `the file of keys is its owner's alone`() async throws {
        let site = try Site()
        let (_, keys) = try await exported(site)
        let attributes = try FileManager.default.attributesOfItem(atPath: keys)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }
}
