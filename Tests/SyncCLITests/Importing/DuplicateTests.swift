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
        #expect(again.text.contains("already here") && !again.text.contains("like"))
    }

    @Test func `skip leaves the new one out, and changes nothing here`() async throws {
        let shore = try await Shore()
        _ = await shore.run("import", try shore.put("plotter.gpx", Sail.gpx()))
        let phone = try shore.put("phone.gpx", Sail.gpx("phone", step: 2))
        let other = try shore.put("other.gpx", Sail.gpx("evening", hour: 20, north: 54.9))
        let outcome = await shore.run("import", "--on-duplicate", "skip", phone, other)
        #expect(outcome.code == .success)
        #expect(outcome.text.contains("phone.gpx: 'phone' was left out, 300 samples\n"))
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
        #expect(dry.text.contains("; that one would go to the trash"))
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

    @Test func `replace keeps what tells more`() async throws {
        let shore = try await Shore()
        let heart = "<extensions><hr>90</hr></extensions>"
        _ = await shore.run("import", try shore.put("old.gpx", Sail.gpx("old", readings: heart)))
        let new = try shore.put("new.gpx", Sail.gpx("new"))
        let outcome = await shore.run("import", "--on-duplicate", "replace", new)
        #expect(outcome.text.contains("; that one tells more, and stays"))
        #expect(try await shore.tracks().count == 2)
    }

    @Test func `local time that stands as UTC is told in hours`() async throws {
        let shore = try await Shore()
        _ = await shore.run("import", try shore.put("one.gpx", Sail.gpx()))
        let two = try shore.put("two.gpx", Sail.gpx("local", hour: 11))
        let outcome = await shore.run("import", two)
        #expect(outcome.text.contains("from another source, with times 2:00 h apart\n"))
        let json = await shore.run(
            "import",
            "--dry-run",
            "--json",
            try shore.put("3.gpx", Sail.gpx("3"))
        )
        #expect(json.text.contains(#""shiftMinutes": 120"#))
        #expect(json.text.contains(#""shiftMinutes": 0"#))
    }

    @Test func `a choice that there is not is a mistake in the call`() async throws {
        let shore = try await Shore()
        let outcome = await shore.run("import", "x", "--on-duplicate", "replaced")
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains("did you mean 'replace'?"))
    }
}
