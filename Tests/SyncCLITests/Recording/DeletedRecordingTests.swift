import Foundation
import Harness
import ProgramKit
import SyncCore
import Testing

@testable import SyncCLI

/// A track that another device deletes while this one records it.
@Suite(.processes) struct DeletedRecordingTests {
    private static let start = UnixTime(milliseconds: 1_777_629_600_000)

    private let scratch: ScratchFolder
    private let server: ServerProcess
    private let boat: LiveDevice
    private let phone: LiveDevice

    init() async throws {
        scratch = try ScratchFolder()
        server = try ServerProcess(folder: scratch.path + "/server")
        boat = LiveDevice(folder: scratch.path + "/boat")
        phone = LiveDevice(folder: scratch.path + "/phone")
        _ = await boat.tell("init", "--name", "boat")
        _ = await boat.tell("join", try server.invite("skipper"))
        let link = await boat.tell("devices", "link").split(separator: "\n").first
        _ = await phone.tell("init", "--name", "phone")
        _ = await phone.tell("join", String(try #require(link)))
    }

    /// Starts a recorder whose messages go to a file.
    private func recorder(_ words: String..., messages: String) throws -> RecorderProcess {
        try Data().write(to: URL(filePath: messages))
        return try RecorderProcess(
            ["record", "--nmea", "-"] + words,
            data: boat.folder,
            errors: try FileHandle(forWritingTo: URL(filePath: messages))
        )
    }

    /// The messages of a recorder, without the line that it draws.
    private func text(of messages: String) throws -> String {
        String(decoding: try InputFile.bytes(of: messages), as: UTF8.self)
    }

    /// The times of the samples of a track, even of a deleted one.
    private func times(of track: Identifier) async throws -> [UnixTime] {
        let replica = try Replica(path: boat.folder + "/replica.db")
        return try await replica.read {
            try $0.tracks.samples(of: track, in: try $0.spaces.own())
        }
        .compactMap(\.time)
    }

    private func firstTrack() async throws -> Identifier? {
        let replica = try Replica(path: boat.folder + "/replica.db")
        return try await replica.read { try $0.tracks.all(in: try $0.spaces.own()) }.first?.id
    }

    /// Writes a fix and waits until it is stored.
    private func write(
        _ seconds: Int64,
        to recorder: RecorderProcess,
        of track: Identifier
    ) async throws {
        let time = UnixTime(milliseconds: Self.start.milliseconds + seconds * 1000)
        try recorder.write(time)
        try await until("a fix of \(time)") {
            let isStored = try await times(of: track).contains(time)
            return isStored || recorder.hasEnded
        }
        try #require(try await times(of: track).contains(time))
    }

    /// Writes fixes until the recorder has told something.
    ///
    /// Returns the second after the last fix: the upper bound if it told nothing.
    private func write(
        _ seconds: Range<Int64>,
        to recorder: RecorderProcess,
        of track: Identifier,
        until isTold: () throws -> Bool
    ) async throws -> Int64 {
        for second in seconds {
            try await write(second, to: recorder, of: track)
            if try isTold() { return second + 1 }
        }
        return seconds.upperBound
    }

    @Test func `a recording deleted elsewhere goes on, says so, and is resumed`() async throws {
        let messages = [1, 2].map { scratch.path + "/messages\($0)" }
        let first = try recorder(messages: messages[0])
        try first.write(Self.start)
        try await until("a track") { try await firstTrack() != nil }
        let track = try #require(try await firstTrack())
        try await write(1, to: first, of: track)
        _ = await boat.tell("sync")
        _ = await phone.run("sync")
        _ = await phone.tell("tracks", "delete", track.description)
        _ = await phone.run("sync")
        _ = await boat.tell("sync")
        let words = "is in the trash; recording goes on, and 'wake restore \(track.short)'"
        let told = try await write(2..<20, to: first, of: track) {
            try text(of: messages[0]).contains(words)
        }
        #expect(told < 20)
        first.kill()

        let second = try recorder("--resume", messages: messages[1])
        let toldAgain = try await write(20..<40, to: second, of: track) {
            try text(of: messages[1]).contains(words)
        }
        #expect(toldAgain < 40)
        #expect(try second.endInput() == 0)
        let end = "the track is in the trash; 'wake restore \(track.short)' restores it"
        #expect(try text(of: messages[1]).contains(end))
        _ = await boat.tell("restore", track.short)
        #expect(try await times(of: track).count == told + toldAgain - 20)
        #expect(await boat.tell("tracks", "list").contains(track.short))
        withExtendedLifetime(server) {}
    }

    @Test func `a recording deleted here is not resumed`() async throws {
        let recorder = try recorder(messages: scratch.path + "/messages")
        try recorder.write(Self.start)
        try await until("a track") { try await firstTrack() != nil }
        let track = try #require(try await firstTrack())
        recorder.kill()
        _ = await boat.tell("tracks", "delete", track.description)
        let resumed = await boat.run("record", "--nmea", "/dev/null", "--resume")
        #expect(resumed.code == .notFound)
        #expect(resumed.err.contains("no interrupted recording"), "\(resumed.err)")
        withExtendedLifetime(server) {}
    }
}
