import Foundation
import Harness
import Testing

/// A device whose disk is full, or may not be written.
@Suite(
    .processes,
    .enabled(if: SmallDisk.isHere, "not here: mounting is not allowed")
)
struct FullDiskTests {
    private static let readings = [
        ["tracks", "list"], ["status"], ["settings", "list"], ["fingerprint"], ["trash"],
        ["verify"], ["export", "--format", "gpx"],
    ]
    private let site: Site
    private let disk: SmallDisk
    private let boat: Device

    init() async throws {
        // A write to a recorder that ended fails and does not end the tests.
        signal(SIGPIPE, SIG_IGN)
        site = try Site()
        disk = try SmallDisk(at: site.path + "/boat", byteCount: 1 << 20)
        boat = try await site.device("boat")
        try await boat("import", try site.file("day.gpx", Inputs.gpx(name: "day", points: 500)))
    }

    private func readings() async throws -> [String] {
        var answers: [String] = []
        for words in Self.readings {
            answers.append(try await boat.start(words).finish().checked().output)
        }
        return answers
    }

    private func expectRefused(_ reason: String) async throws {
        let track = try #require(try await boat.tracks().first)
        let other = try site.file("other.gpx", Inputs.gpx(name: "other", points: 3000))
        for words in [
            ["settings", "set", "metric", "no"], ["tracks", "rename", track.id, "night"],
            ["import", other], ["tracks", "delete", track.id],
        ] {
            let outcome = try await boat.start(words).finish()
            #expect(outcome.code == 1, "\(words)")
            #expect(outcome.errors.contains(reason), "\(words): \(outcome.errors)")
            #expect(outcome.errors.contains("\nwake: hint: "), "\(words): \(outcome.errors)")
        }
    }

    @Test func `a full disk stops no reading, and what cannot be written is told`() async throws {
        let before = try await readings()
        try disk.fill()
        #expect(try await readings() == before)
        try await expectRefused("the disk is full")
        #expect(try await readings() == before)
        try disk.makeRoom()
        #expect(try await readings() == before)
        try await boat("settings", "set", "metric", "no")
    }

    @Test func `a folder that may not be written can be read`() async throws {
        let before = try await readings()
        try disk.setReadOnly(true)
        #expect(try await readings() == before)
        try await expectRefused("is not writable")
        let record = try await boat.run("record", "--nmea", site.path + "/day.gpx")
        #expect(record.code == 1 && record.errors.contains("read-only file system"))
        try disk.setReadOnly(false)
        #expect(try await readings() == before)
    }

    @Test func `what a killed program left in the log is read where nothing can be written`()
        async throws
    {
        let nmea = Pipe()
        let recorder = try boat.start(
            ["record", "--nmea", "-"],
            input: nmea.fileHandleForReading
        )
        try nmea.fileHandleForReading.close()
        try nmea.fileHandleForWriting.write(
            contentsOf: Data(try await boat("sample", "--seconds", "60").output.utf8)
        )
        try await until("a second track") {
            try await boat.tracks().count == 2 || !recorder.isRunning
        }
        recorder.send(SIGKILL)
        await recorder.finish()
        let kept = site.path + "/kept"
        try FileManager.default.copyItem(atPath: disk.path, toPath: kept)
        // Who can write works the log off.
        let before = try await boat("tracks", "list").output
        // A copy may lack the index of the log, which any process makes anew where it can.
        for endings in [["", "-wal", "-shm"], ["", "-wal"]] {
            for ending in endings {
                let file = "/replica.db" + ending
                let bytes = try Data(contentsOf: URL(filePath: kept + file))
                #expect(!bytes.isEmpty, "nothing was left in \(file)")
                try bytes.write(to: URL(filePath: disk.path + file))
            }
            try disk.setReadOnly(true)
            #expect(try await boat("tracks", "list").output == before, "\(endings)")
            try await expectRefused("is not writable")
            try disk.setReadOnly(false)
            #expect(try await boat("tracks", "list").output == before)
        }
    }

    @Test func `a recording on a disk that is full from the start does not say it was kept`()
        async throws
    {
        let log = try site.file("log.nmea", try await boat("sample", "--seconds", "60").output)
        try disk.fill()
        let outcome = try await boat.run("record", "--nmea", log)
        #expect(outcome.code == 1, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.errors.contains("nothing was recorded: 60 samples could not be stored"))
        #expect(outcome.errors.contains("hint: free disk space and run the command again"))
        #expect(!outcome.errors.contains("--resume"), "\(outcome.errors)")
        try disk.makeRoom()
        #expect(try await boat.tracks().count == 1)
        try await boat("record", "--nmea", log)
    }

    @Test func `K7 a recording on a disk that fills keeps what it stored and says what it did not`()
        async throws
    {
        let lines = try await boat("sample", "--seconds", "660").output.split(separator: "\r\n")
        let feed = Pipe()
        let recorder = try boat.start(
            ["record", "--nmea", "-", "--name", "long"],
            input: feed.fileHandleForReading
        )
        // If the recorder ends early, a write fails and does not block.
        try feed.fileHandleForReading.close()
        func write(_ lines: ArraySlice<Substring>) throws {
            let text = lines.map { $0 + "\r\n" }.joined()
            try feed.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        }
        try write(lines.prefix(lines.count / 11))
        try await boat.wait(for: "the first minute") { $0.count == 60 }
        try disk.fill()
        try write(lines.dropFirst(lines.count / 11))
        _ = try await recorder.match(/the disk is full; retrying/, "a full disk", in: \.errors)
        try feed.fileHandleForWriting.close()
        let outcome = await recorder.finish()
        #expect(outcome.code == 1, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.errors.contains("could not be stored: the disk is full"))
        let stored = try #require(try await boat.tracks().first { $0.name == "long" })
        #expect(stored.points == 60)
        try disk.makeRoom()
        try await boat("verify")
        let rest = site.path + "/rest.nmea"
        try await boat("sample", "--seconds", "300").output
            .write(toFile: rest, atomically: true, encoding: .utf8)
        let again = try await boat.run("record", "--resume", "--nmea", rest)
        #expect(again.code == 0, "\(again.output)\(again.errors)")
        let resumed = try #require(try await boat.tracks().first { $0.name == "long" })
        #expect(resumed.samples > stored.samples)
    }
}
