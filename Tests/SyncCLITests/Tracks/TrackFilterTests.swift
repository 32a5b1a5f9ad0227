@testable import SyncCore
import Testing

import ProgramKit
@testable import SyncCLI

@Suite struct TrackFilterTests {
    /// 2026-05-01T22:30:00Z, which is the second of May two hours east.
    private static let late = UnixTime(milliseconds: 1_777_674_600_000)

    /// Around Stavoren.
    private static let box = ChunkSummary.Box(
        south: 528_000_000,
        west: 53_000_000,
        north: 529_000_000,
        east: 54_000_000
    )

    private static let sail = Walk.track(
        name: "Évening SAIL",
        sport: "Sailing",
        notes: "to the Lighthouse",
        start: late,
        offsetMinutes: 120,
        box: box
    )

    private static func filter(_ line: String) throws -> TrackFilter {
        let words = line.split(separator: " ").map(String.init)
        let request = try Request(["tracks", "list"] + words, of: Wake.program)
        guard case .run(_, let arguments) = request else { throw UserError.usage(line) }
        return try TrackFilter(arguments)
    }

    @Test(
        arguments: [
            ("", true), ("--sport sailing", true), ("--sport SAILING", true),
            ("--sport sail", false),
            ("--text sail", true), ("--text évening", true), ("--text LIGHTHOUSE", true),
            ("--text dinner", false), ("--from 2026-05-02", true), ("--from 2026-05-03", false),
            ("--to 2026-05-01", false), ("--to 2026-05-02", true), ("--to 2026-05", true),
            ("--to 2026-04", false), ("--from 2026", true), ("--from 2027", false),
            ("--from 2026-05 --to 2026-05", true), ("--near 52.85,5.35", true),
            ("--near 52.85,5.45", true), ("--near 52.85,5.45,3", false),
            ("--near 52.85,5.48", false),
            ("--near 52.85,5.48,6", true), ("--near -33.9,18.4,20000", true),
            ("--sport sailing --text dinner", false),
        ] as [(String, Bool)]
    )
    func `a track is found by what is given`(line: String, isFound: Bool) throws {
        let filter = try Self.filter(line)
        #expect(filter.contains(Self.sail) == isFound)
        #expect(filter.isOpen == line.isEmpty)
    }

    @Test(
        arguments: [
            "--sport sailing", "--text sail", "--from 1970", "--to 2100", "--near 0,0,20000",
        ]
    )
    func `what a track does not have is not found`(line: String) throws {
        let filter = try Self.filter(line)
        #expect(!filter.contains(Walk.track()))
    }

    @Test(
        arguments: [
            "--near 91,0", "--near 0,181", "--near 1", "--near 1,2,3,4", "--near a,b",
            "--near nan,0",
            "--near 1,2,-1", "--near 1,2,1e9", "--near ,", "--from 2026-13", "--from 2026-02-30",
            "--from 26", "--from 2026-5", "--to yesterday", "--to 0000", "--to 2026-05-01-02",
            "--from +026", "--from -1-05",
        ]
    )
    func `what is no place or day is a wrong command line`(line: String) {
        #expect { try Self.filter(line) } throws: { ($0 as? UserError)?.code == .usage }
    }

    @Test(
        arguments: [
            (.date, false, "b a c d"), (.date, true, "a b c d"), (.distance, false, "c a b d"),
            (.distance, true, "b a c d"), (.duration, false, "a b c d"), (.name, false, "a b c d"),
            (.name, true, "d c b a"),
        ] as [(TrackOrder, Bool, String)]
    )
    func `tracks are sorted, and what is unknown comes last`(
        order: TrackOrder,
        isReversed: Bool,
        names: String
    ) {
        let tracks = [
            Walk.track(name: "d", seconds: nil, missing: 1),
            Walk.track(name: "b", start: UnixTime(milliseconds: 2000), seconds: 10, metres: 1),
            Walk.track(name: "a", start: UnixTime(milliseconds: 1000), seconds: 20, metres: 2),
            Walk.track(name: "c", metres: 3),
        ]
        let expected =
            order == .duration
            ? "a b d c"
            : order == .date
                ? names.replacing("c d", with: "d c") : names
        #expect(
            order.sorted(tracks, isReversed: isReversed).compactMap(\.name).joined(separator: " ")
                == expected
        )
    }
}
