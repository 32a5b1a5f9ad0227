import ProgramKit
import Foundation
import SyncCore
import Testing

@testable import SyncCLI

/// Recordings in archives.
@Suite struct ArchiveTests {
    private static let notes = Array("<gpx><wpt lat='1' lon='2'/></gpx>".utf8)

    private static let export = Packed.zip([
        ("export/", []), ("export/1.gpx", Sail.gpx("one")),
        ("export/2.gpx.gz", Packed.gzip(Sail.gpx("two", hour: 20))),
        ("export/bäd.gpx", Array("<gpx><trk>".utf8)), ("export/photo.jpg", [0xff, 0xd8, 1, 2]),
        ("__MACOSX/export/._1.gpx", [0, 5]), ("export/.hidden.gpx", Sail.gpx("hidden")),
    ])

    @Test(arguments: ["a file", "standard input", "a folder"])
    func `each file of an archive is told by its path, and a bad one stops no other`(
        way: String
    ) async throws {
        let shore = try await Shore()
        try FileManager.default.createDirectory(
            atPath: shore.folder + "/in",
            withIntermediateDirectories: false
        )
        let path = try shore.put("in/all.zip", Self.export)
        let word = ["a file": path, "standard input": "-", "a folder": shore.folder + "/in"][way]
        let outcome = await shore.run("import", word ?? "", input: Self.export)
        let name = way == "standard input" ? way : path
        #expect(outcome.code == .failure)
        #expect(outcome.text.contains("\(name): export/1.gpx: "))
        #expect(outcome.text.contains("\(name): export/2.gpx.gz: "))
        #expect(outcome.errors.contains("\(name): export/bäd.gpx:1: the file ends too early\n"))
        #expect(outcome.errors.contains("skipped 1 file that is not a recording\n"))
        #expect(Set(try await shore.tracks().map(\.title)) == ["one", "two"])
    }

    @Test func `a path that begins with a dot is not hidden for that`() async throws {
        let shore = try await Shore()
        let path = try shore.put(
            "dots.zip",
            Packed.zip([
                ("./here.gpx", Sail.gpx("here")), ("../up.gpx", Sail.gpx("up", hour: 20)),
                ("./.hidden.gpx", Sail.gpx("hidden", hour: 22)),
            ])
        )
        #expect(await shore.run("import", path).code == .success)
        #expect(Set(try await shore.tracks().map(\.title)) == ["here", "up"])
    }

    @Test func `a file in an archive, compressed or beside it is one track`() async throws {
        let shore = try await Shore()
        let plain = Sail.gpx("one")
        _ = await shore.run("import", try shore.put("plain.gpx", plain))
        for (name, bytes) in [
            ("packed.gpx.gz", Packed.gzip(plain)), ("a.zip", Packed.zip([("b.gpx", plain)])),
        ] {
            let outcome = await shore.run("import", try shore.put(name, bytes))
            #expect(outcome.code == .success && outcome.text.contains("already imported"))
        }
        #expect(try await shore.tracks().count == 1)
    }

    @Test func `a track without a name has that of its file, without its endings`() async throws {
        let shore = try await Shore()
        let file = try shore.put(
            "a.zip",
            Packed.zip([("in/morning.gpx.gz", Packed.gzip(Sail.gpx("")))])
        )
        _ = await shore.run("import", file)
        #expect(try await shore.tracks().map(\.title) == ["morning"])
    }

    @Test func `an encrypted file is told, and so is an archive in an archive`() async throws {
        let shore = try await Shore()
        let secret = try shore.put("secret.zip", Packed.zip([("a.gpx", Sail.gpx())], password: "x"))
        let outcome = await shore.run("import", secret)
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("\(secret): a.gpx: it is encrypted\n"))
        let nested = try shore.put("nested.zip", Packed.zip([("in.zip", Self.export)]))
        let errors = await shore.run("import", nested).errors
        #expect(errors.contains("\(nested): in.zip: an archive inside an archive is not imported"))
        #expect(try await shore.tracks().isEmpty)
    }

    @Test func `a damaged file is told, and those after it are taken`() async throws {
        let shore = try await Shore()
        var bytes = Packed.zip([("a.gpx", Sail.gpx("a")), ("b.gpx", Sail.gpx("b", hour: 20))])
        for place in 1000..<1040 { bytes[place] ^= 0x5a }
        let outcome = await shore.run("import", try shore.put("x.zip", bytes))
        #expect(outcome.errors.contains("x.zip: a.gpx: the archive is damaged here: "))
        #expect(try await shore.tracks().map(\.title) == ["b"])
    }

    @Test func `of a compressed file that is cut --salvage takes what is there`() async throws {
        let shore = try await Shore()
        let file = try shore.put("a.gpx.gz", Packed.gzip(Sail.gpx(seconds: 3000)).dropLast(2000))
        let outcome = await shore.run("import", file)
        #expect(outcome.errors.contains("damaged here: truncated gzip input"))
        #expect(try await shore.tracks().isEmpty)
        #expect(await shore.run("import", "--salvage", file).code == .success)
        #expect(try await shore.tracks().count == 1)
    }

    @Test func `an impossible point in a compressed file that is cut is told besides`()
        async throws
    {
        let shore = try await Shore()
        let text = String(decoding: Sail.gpx(seconds: 3000), as: UTF8.self)
        let first = try #require(text.range(of: "lat='54."))
        let bad = text.replacingCharacters(in: first, with: "lat='95.")
        let packed = Packed.gzip(Array(bad.utf8)).dropLast(2000)
        let outcome = await shore.run("import", try shore.put("a.gpx.gz", Array(packed)))
        #expect(outcome.errors.contains("a.gpx.gz:1: invalid latitude or longitude: '95."))
        #expect(outcome.errors.contains("damaged here: truncated gzip input"))
    }

    @Test func `every archive that is cut somewhere is told and harms nothing`() async throws {
        let shore = try await Shore()
        let whole = Packed.zip([("a.gpx", Sail.gpx(seconds: 70)), ("b.txt", [1])])
        for count in stride(from: 1, to: whole.count, by: 97) {
            let file = try shore.put("cut.zip", Array(whole.prefix(count)))
            let outcome = await shore.run("import", "--dry-run", file)
            // Without its table of contents an archive is read all the same.
            let isWhole = outcome.code == .success && outcome.text.contains("a.gpx: ")
            let isTold = outcome.code == .failure && outcome.errors.contains("cut.zip")
            #expect(isWhole || isTold, "\(count)")
        }
    }

    @Test func `a bomb ends where no recording would`() async throws {
        let shore = try await Shore()
        let bomb = Array("<gpx>".utf8) + [UInt8](repeating: 0x20, count: 80 << 20)
        for (name, bytes, place) in [
            ("bomb.zip", Packed.zip([("a.gpx", bomb), ("b.gpx", Sail.gpx())]), ": a.gpx"),
            ("bomb.gpx.gz", Packed.gzip(bomb), ""),
        ] {
            let file = try shore.put(name, bytes)
            let outcome = await shore.run("import", file)
            #expect(outcome.code == .failure)
            #expect(outcome.errors.contains("\(file)\(place): unpacked, it exceeds the size limit"))
        }
        #expect(try await shore.tracks().count == 1)
    }

    @Test func `an archive of nothing is told`() async throws {
        let shore = try await Shore()
        for bytes in [Packed.zip([]), Packed.zip([("a.jpg", [1, 2, 3])])] {
            let outcome = await shore.run("import", try shore.put("a.zip", bytes))
            #expect(outcome.code == .failure)
            #expect(outcome.errors.contains("a.zip: the archive contains no recording"))
        }
    }
}
