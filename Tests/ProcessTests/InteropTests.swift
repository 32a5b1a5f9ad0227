import Foundation
import Harness
import Judging
import SyncCore
import Testing

/// What Wake writes and refuses, checked with PyPI's packages and no code of Wake.
@Suite(.processes, .enabled(if: Inputs.python != nil, "not here: .build/venv"))
struct InteropTests {
    /// Runs `verify.py`.
    private func verify(_ words: String..., in site: Site) async throws -> Outcome {
        let script = Inputs.packageRoot + "Tests/Interop/verify.py"
        return try await site.start(try #require(Inputs.python), [script] + words).finish()
    }

    @Test func `Python says of every vector what its file says`() async throws {
        let folder = Inputs.packageRoot + "Tests/Vectors"
        let outcome = try await verify("vectors", folder, in: Site())
        let counts = try outcome.checked().json([String: Int].self)
        #expect(counts.values.reduce(0, +) == (try Vector.all().count))
    }

    /// `$WAKE_MUTATIONS` says how many.
    @Test(arguments: [1] as [UInt64])
    func `Wake and Python accept and refuse the same mutations of good vectors`(
        seed: UInt64
    ) async throws {
        var maker = Mutants(seed: seed)
        let mutants = try maker.make(count: Rounds.number("WAKE_MUTATIONS") ?? 1000)
        let site = try Site()
        let written = mutants.map(\.written).joined(separator: "\n")
        let file = try site.file("mutants.txt", written)
        let lines = try await verify("verdicts", file, in: site).checked().output
            .split(separator: "\n")
        try #require(lines.count == mutants.count)
        var accepted = 0
        for (mutant, line) in zip(mutants, lines) {
            let words = line.split(separator: "\t")
            try #require(words.count == 2 && words[1] == mutant.name)
            let ours = try Judge.judge(mutant).verdict
            accepted += ours == "ok" ? 1 : 0
            #expect(
                (ours == "ok") == (words[0] == "ok"),
                "Wake says \(ours), Python \(words[0]), of\n\(mutant.written.prefix(2000))"
            )
        }
        #expect(accepted > 0 && accepted < mutants.count / 2, "seed \(seed)")
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
        let set = try await SealedSets(site)
        let attributes = try FileManager.default.attributesOfItem(atPath: set.keysPath)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let counts = try await verify("sealed", set.path, set.keysPath, in: site).checked()
            .json(Counts.self)
        #expect(counts.sets >= 5 && counts.cells > counts.sets && counts.chains == 1)
        #expect(try set.count(in: set.bytes) == counts.sets)
        var random = SplitMix64(seed: 1)
        let flips = (0..<60).map { _ in
            (
                place: Int.random(in: set.bytes.indices, using: &random),
                mask: UInt8.random(in: 1...255, using: &random)
            )
        }
        let words = flips.map { "\($0.place):\($0.mask)" }
        let verdicts = try await verify(
            "flipped",
            set.path,
            set.keysPath,
            words.joined(separator: ","),
            in: site
        ).checked().output.split(separator: "\n")
        #expect(verdicts.map(String.init) == words.map { "\($0) refused" })
        for flip in flips {
            var flipped = set.bytes
            flipped[flip.place] ^= flip.mask
            #expect(throws: (any Error).self, "\(flip)") { try set.count(in: flipped) }
        }
    }
}
