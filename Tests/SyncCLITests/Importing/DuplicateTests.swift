import Foundation
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// The same outing from another source.
@Suite struct DuplicateTests {
    @Test func `both are kept and it is said, unless a person chose`() async throws {
        let shore = try await Shore()
        let plotter = try shore.put("plotter.gpx", Sail.gpx())
        let phone = try shore.put("phone.gpx", Sail.gpx("phone", step: 7))
        _ = await shore.run("import", plotter)
        let outcome = await shore.run("import", phone)
        #expect(outcome.code == .success)
        #expect(outcome.text.contains("'Morning sail': the same outing from another source\n"))
        #expect(try await shore.tracks().count == 2)
        let again = await shore.run("import", phone)
        #expect(again.text.contains("already imported") && !again.text.contains("duplicate"))
    }

    @Test func `skip leaves the new one out, and changes nothing here`() async throws {
        let shore = try await Shore()
        _ = await shore.run("import", try shore.put("plotter.gpx", Sail.gpx()))
        let phone = try shore.put("phone.gpx", Sail.gpx("phone", step: 2))
        let other = try shore.put("other.gpx", Sail.gpx("evening", hour: 20, north: 54.9))
        let outcome = await shore.run("import", "--on-duplicate", "skip", phone, other)
        #expect(outcome.code == .success)
        #expect(outcome.text.contains("phone.gpx: 'phone' was skipped, 300 samples\n"))
        #expect(Set(try await shore.tracks().map(\.title)) == ["Morning sail", "evening"])
    }

    @Test func `replace puts the old one into the trash, from where it comes back`() async throws {
        let shore = try await Shore()
        let old = try shore.put("old.gpx", Sail.gpx("old"))
        _ = await shore.run("import", old)
        let id = try #require(try await shore.tracks().first).id
        _ = await shore.run("tracks", "rename", id.short, "With Ada")
        let heart = "<extensions><hr>90</hr></extensions>"
        let new = try shore.put("new.gpx", Sail.gpx("new", readings: heart))
        let dry = await shore.run("import", "--dry-run", "--on-duplicate=replace", new)
        #expect(dry.text.contains("; the existing track would go to the trash"))
        #expect(try await shore.tracks().count == 1)
        let outcome = await shore.run("import", "--json", "--on-duplicate=replace", new)
        #expect(outcome.text.contains(#""isReplaced": true"#))
        #expect(try await shore.tracks().map(\.title) == ["With Ada"])
        #expect(try await shore.tracks(deleted: true).map(\.id) == [id])
        // In the trash it is in nobody's way, and no new one is like it.
        #expect(await shore.run("import", old).text.contains("in the trash"))
        _ = await shore.run("tracks", "restore", id.short)
        #expect(try await shore.tracks().count == 2)
    }

    @Test(arguments: [0, 300, 599], [false, true])
    func `one wrong time hides no duplicate, whichever came first`(
        second: Int,
        isFirst: Bool
    ) async throws {
        let shore = try await Shore()
        let time = String(format: "2026-04-01T09:%02d:%02dZ", second / 60, second % 60)
        let text = String(decoding: Sail.gpx("wrong"), as: UTF8.self)
            .replacing(time, with: "1980-01-06T00:00:00Z")
        #expect(text.contains("1980"))
        let wrong = try shore.put("wrong.gpx", Array(text.utf8))
        let right = try shore.put("right.gpx", Sail.gpx("right"))
        let files = isFirst ? [wrong, right] : [right, wrong]
        #expect(await !shore.run("import", files[0]).text.contains("duplicate"))
        let outcome = await shore.run("import", files[1])
        let other = isFirst ? "wrong" : "right"
        #expect(outcome.text.contains("'\(other)': the same outing from another source\n"))
    }

    @Test func `replace keeps what tells more`() async throws {
        let shore = try await Shore()
        let heart = "<extensions><hr>90</hr></extensions>"
        _ = await shore.run("import", try shore.put("old.gpx", Sail.gpx("old", readings: heart)))
        let new = try shore.put("new.gpx", Sail.gpx("new"))
        let outcome = await shore.run("import", "--on-duplicate", "replace", new)
        #expect(outcome.text.contains("; the existing track has more data and is kept"))
        #expect(try await shore.tracks().count == 2)
    }

    @Test func `local time that stands as UTC is told in hours`() async throws {
        let shore = try await Shore()
        _ = await shore.run("import", try shore.put("one.gpx", Sail.gpx()))
        let two = try shore.put("two.gpx", Sail.gpx("local", hour: 11))
        let outcome = await shore.run("import", two)
        #expect(outcome.text.contains("from another source, times shifted by 2:00 h\n"))
        let json = await shore.run(
            "import",
            "--dry-run",
            "--json",
            try shore.put("3.gpx", Sail.gpx("3"))
        )
        #expect(json.text.contains(#""shiftMinutes": 120"#))
        #expect(json.text.contains(#""shiftMinutes": 0"#))
    }

    @Test(arguments: ["keep", "skip", "replace"])
    func `a dry run tells what the real run tells then`(choice: String) async throws {
        let shore = try await Shore()
        let heart = "<extensions><hr>90</hr></extensions>"
        _ = await shore.run("import", try shore.put("0.gpx", Sail.gpx("0")))
        let files = [
            try shore.put("0.gpx", Sail.gpx("0")), try shore.put("1.gpx", Sail.gpx("1", step: 2)),
            try shore.put("2.gpx", Sail.gpx("2", readings: heart)),
            try shore.put("3.gpx", Sail.gpx("1", step: 2)),
            try shore.put("4.gpx", Sail.gpx("2", readings: heart)),
            try shore.put("5.gpx", Sail.gpx("5", hour: 20, north: 54.9)),
            try shore.put("6.gpx", Sail.gpx("6", step: 7, hour: 20, north: 54.9)),
            try shore.put("7.gpx", Sail.gpx("5", hour: 20, north: 54.9)),
        ]
        /// Which file is new, known, left out, in the trash, and like which others.
        func told(_ words: String...) async throws -> [String] {
            let outcome = await shore.run(
                ["import", "--json", "--on-duplicate", choice] + words + files
            )
            let json = try JSONSerialization.jsonObject(with: Data(outcome.text.utf8))
            let report = try #require((json as? [String: Any])?["files"] as? [[String: Any]])
            return report.flatMap { $0["tracks"] as? [[String: Any]] ?? [] }.map { track in
                let marks = ["isNew", "isDeleted", "isSkipped"].map { "\($0) \(track[$0] ?? "")" }
                let like = (track["like"] as? [[String: Any]] ?? []).map {
                    "\($0["id"] ?? "") \($0["isReplaced"] ?? "")"
                }
                return (marks + like).joined(separator: ", ")
            }
        }
        let dry = try await told("--dry-run")
        let left = try FileManager.default.contentsOfDirectory(atPath: shore.folder)
        #expect(!left.contains { $0.hasPrefix("wake-") })
        #expect(try await shore.tracks().count == 1)
        let real = try await told()
        #expect(dry == real)
        #expect(dry.count == files.count)
    }

    @Test func `a part that is saved of a damaged file is like the whole`() async throws {
        let shore = try await Shore()
        let whole = Sail.gpx("whole", seconds: 3000)
        _ = await shore.run("import", try shore.put("whole.gpx", whole))
        // What is whole and short says nothing of another.
        let short = try shore.put("short.gpx", Sail.gpx("short", seconds: 750))
        #expect(await !shore.run("import", "--dry-run", short).text.contains("duplicate"))
        let cut = try shore.put("cut.gpx", Array(whole.prefix(whole.count / 4)))
        let outcome = await shore.run("import", "--salvage", cut)
        #expect(outcome.code == .success)
        #expect(outcome.text.contains("'whole': a part of the same outing\n"))
        let skipped = await shore.run("import", "--salvage", "--on-duplicate=replace", cut)
        #expect(skipped.text.contains("already imported"))
    }

    @Test func `an impossible point is left out of what is saved`() async throws {
        let shore = try await Shore()
        let text = String(decoding: Sail.gpx("a"), as: UTF8.self)
        let first = try #require(text.range(of: "lat='54.")?.lowerBound)
        let bad = text[..<first] + "lat='95." + text[first...].dropFirst("lat='54.".count)
        let file = try shore.put("bad.gpx", Array(bad.utf8))
        let refused = await shore.run("import", file)
        #expect(refused.code == .failure)
        #expect(refused.errors.contains("invalid latitude or longitude: '95."))
        #expect(refused.errors.contains("imports the 599 samples that can be read"))
        let saved = await shore.run("import", "--salvage", file)
        #expect(saved.code == .success)
        #expect(saved.errors.contains("the readable rest was imported"))
        #expect(try await shore.tracks().map(\.pointCount) == [599])
        // The others are all there: it is no part.
        _ = await shore.run("import", try shore.put("good.gpx", Sail.gpx("good")))
        let again = try shore.put("again.gpx", Array((bad + "\n").utf8))
        let like = await shore.run("import", "--salvage", again)
        #expect(like.text.contains("'good': the same outing from another source\n"))
    }

    @Test(arguments: [("", "the file ends too early"), ("</x>", "not well-formed XML")])
    func `an impossible point hides no damage behind it`(end: String, words: String) async throws {
        let shore = try await Shore()
        let whole = String(decoding: Sail.gpx("whole", seconds: 3000), as: UTF8.self)
            .replacing("<trkpt", with: "\n<trkpt")
        _ = await shore.run("import", try shore.put("whole.gpx", Array(whole.utf8)))
        let lines = whole.split(separator: "\n").prefix(750)
        let bad = lines.enumerated().map { index, line in
            String(index == 2 ? line.replacing("lat='54.", with: "lat='95.") : line)
        }
        let cut = try shore.put("cut.gpx", Array((bad.joined(separator: "\n") + end).utf8))
        let refused = await shore.run("import", cut)
        #expect(refused.errors.contains("cut.gpx:3: invalid latitude or longitude: '95."))
        #expect(refused.errors.contains("cut.gpx:750: \(words)\n"))
        #expect(refused.errors.contains("imports the 748 samples before the damage"))
        let saved = await shore.run("import", "--salvage", cut)
        #expect(saved.code == .success)
        #expect(saved.errors.contains("cut.gpx:3: invalid latitude or longitude: '95."))
        #expect(
            saved.errors.contains("cut.gpx:750: \(words); the part before the damage was imported")
        )
        #expect(saved.text.contains("'whole': a part of the same outing\n"))
    }

    @Test func `what has no times is no TCX, and a name that is no text has another way in`()
        async throws
    {
        let shore = try await Shore()
        let points = "<trkpt lat='1' lon='2'/><trkpt lat='1.01' lon='2'/>"
        let text = "<gpx><trk><name>a</name><trkseg>\(points)</trkseg></trk></gpx>"
        _ = await shore.run("import", try shore.put("a.gpx", Array(text.utf8)))
        let file = shore.folder + "/a.tcx"
        let outcome = await shore.run("export", "--format", "tcx", "--output", file)
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("'a': it has no times, and TCX requires them\n"))
        #expect(!FileManager.default.fileExists(atPath: file))
        _ = await shore.run("import", try shore.put("b.gpx", Sail.gpx("b")))
        let folder = await shore.run("export", "--format", "tcx", "--folder", shore.folder + "/x")
        #expect(folder.code == .failure)
        #expect(folder.text.contains("wrote 1 track to "))
        let both = await shore.run("export", "--format", "tcx", "--output", file)
        #expect(both.code == .success)
        #expect(both.errors.contains("left out 2 points without a time"))
        let unnamed = await shore.run("import", shore.folder + "/\u{FFFD}.gpx")
        #expect(unnamed.code == .notFound)
        #expect(unnamed.errors.contains("its name is not UTF-8"))
        #expect(unnamed.errors.contains("'wake import - < FILE'"))
        #expect(await shore.run("import", "-", input: Sail.gpx("c")).text.contains("'c', 600 p"))
    }

    @Test func `a choice that there is not is a mistake in the call`() async throws {
        let shore = try await Shore()
        let outcome = await shore.run("import", "x", "--on-duplicate", "replaced")
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains("did you mean 'replace'?"))
    }
}
