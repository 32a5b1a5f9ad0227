import Foundation
import SyncCore
import Testing

@testable import SyncServer

/// The files beside the store, and what they save when an old copy of it is put back.
@Suite struct DataFolderTests {
    private let folder: TestFolder
    private let data: DataFolder
    private let author = Author(device: 1)
    private let now = UnixTime(milliseconds: 1_777_000_000_000)

    init() throws {
        folder = try TestFolder()
        data = try DataFolder(folder.path + "/data")
    }

    private func open() async throws -> any Store {
        try await data.openStore(Author.serverKeys)
    }

    /// Copies the store's files, or puts the copies back.
    private func copy(_ isBackup: Bool) throws {
        let (live, backup) = (data.store, folder.path + "/backup.db")
        for suffix in ["", "-wal", "-shm"] {
            let (from, to) = (isBackup ? live : backup, isBackup ? backup : live)
            if FileManager.default.fileExists(atPath: to + suffix) {
                try FileManager.default.removeItem(atPath: to + suffix)
            }
            guard FileManager.default.fileExists(atPath: from + suffix) else { continue }
            try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
        }
    }

    @Test func `S12 an old copy of the store brings no revoked device back`() async throws {
        var store: (any Store)? = try await open()
        try await author.person.found(in: try #require(store), at: now)
        store = nil
        try copy(true)
        store = try await open()
        try await store?.replayRevocations([author.device])
        try data.appendRevocations(of: [author.device])
        store = nil
        try copy(false)
        let old = try await open()
        #expect(try await old.device(author.device)?.isRevoked == true)
    }

    @Test func `a copy from before a device entered does not let it in again`() async throws {
        var store: (any Store)? = try await open()
        try await store?.checkWritable(at: now)
        store = nil
        try copy(true)
        store = try await open()
        try await author.person.found(in: try #require(store), at: now)
        try await store?.replayRevocations([author.device])
        try data.appendRevocations(of: [author.device])
        store = nil
        try copy(false)
        let old = try await open()
        try await author.person.found(in: old, at: now)
        #expect(try await old.device(author.device)?.isRevoked == true)
    }

    @Test func `a revocation that the file lacks is noted at the next start`() async throws {
        var store: (any Store)? = try await open()
        try await store?.replayRevocations([author.device])
        store = nil
        #expect(try data.revocations.isEmpty)
        store = try await open()
        #expect(try data.revocations == [author.device])
    }

    @Test(arguments: ["1j3p0z7c", "# the phone", "1j3p0z7cmw9x2v5q8t4r6y0h3kg", "'"])
    func `a line of the revocations that is no id lets no server start`(line: String)
        async throws
    {
        _ = try await open()
        try data.appendRevocations(of: [author.device])
        let file = data.path + "/revocations"
        let noted = try String(contentsOfFile: file, encoding: .utf8)
        try "\(noted) \n\(line)".write(toFile: file, atomically: true, encoding: .utf8)
        let error = DataFolderError.notADevice(path: file, line: 3, text: line)
        await #expect(throws: error) { _ = try await open() }
    }

    @Test func `a flipped bit anywhere in a revocation lets nobody in`() async throws {
        _ = try await open()
        try data.appendRevocations(of: [author.device])
        let file = URL(filePath: data.path + "/revocations")
        let line = Array(try Data(contentsOf: file))
        for place in line.indices {
            for bit in 0..<8 {
                var flipped = line
                flipped[place] ^= 1 << bit
                try Data(flipped).write(to: file)
                let found = try? data.revocations
                // A letter of the id may be a capital, and the end of the line another space.
                #expect(found == nil || found == [author.device], "\(place), bit \(bit)")
            }
        }
    }

    @Test func `a revocation does not join a line without an end`() throws {
        let file = data.path + "/revocations"
        let other = Identifier(number: 7)
        try "\(other)".write(toFile: file, atomically: true, encoding: .utf8)
        try data.appendRevocations(of: [author.device])
        #expect(try data.revocations == [other, author.device])
    }

    @Test func `what cannot be read does not count as empty`() async throws {
        let revocations = data.path + "/revocations"
        #expect(try data.revocations.isEmpty)
        for file in [revocations, data.path + "/authority", data.path + "/master.key"] {
            try FileManager.default.createDirectory(
                atPath: file,
                withIntermediateDirectories: false
            )
        }
        await #expect(throws: DataFolderError.notReadable(path: revocations, code: EISDIR)) {
            try await open()
        }
        let authority = DataFolderError.notReadable(path: data.path + "/authority", code: EISDIR)
        #expect(throws: authority) { try data.address }
        try FileManager.default.removeItem(atPath: data.path + "/authority")
        let key = DataFolderError.notReadable(path: data.path + "/master.key", code: EISDIR)
        #expect(throws: key) { try data.masterKey { Secret(bytes: []) } }
    }

    @Test func `a file that could not be made leaves no draft`() throws {
        let file = data.path + "/master.key"
        let draft = "\(file).\(getpid())"
        try FileManager.default.createSymbolicLink(
            atPath: draft,
            withDestinationPath: "/dev/full"
        )
        #expect(throws: DataFolderError.notWritable(path: draft, code: ENOSPC)) {
            try data.makeFile(file, "secret")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: data.path) == ["views"])
    }

    @Test func `one server at a time uses a folder`() throws {
        #expect(!data.isServed)
        let lock = try data.lock()
        #expect(data.isServed)
        #expect(throws: DataFolderError.inUse(path: data.path)) {
            try DataFolder(data.path).lock()
        }
        withExtendedLifetime(lock) {}
    }

    /// Waits without time; returns the pauses in milliseconds, and how often a long wait was reported.
    private func waitForStart(
        pausing pause: (_ milliseconds: Int) throws -> Void = { _ in }
    ) async throws -> (milliseconds: Int, reports: Int) {
        var (milliseconds, reports) = (0, 0)
        try await DataFolder.waitForStart(
            at: data.path,
            sleep: {
                milliseconds += $0
                try pause(milliseconds)
            },
            onLongWait: { reports += 1 }
        )
        return (milliseconds, reports)
    }

    @Test func `a starting server is waited for until it listens`() async throws {
        #expect(try await waitForStart() == (0, 0))
        let lock = try data.lock()
        let address = ServerAddress(authority: "a.example:1", trust: .authorities)
        let wait = try await waitForStart { milliseconds in
            if milliseconds == 2000 { try data.noteListening(at: address, with: lock) }
        }
        #expect(wait == (2000, 1))
        #expect(try data.address == address)
    }

    @Test func `a server that does not listen within a minute is an error`() async throws {
        let lock = try data.lock()
        await #expect(throws: DataFolderError.stillStarting(path: data.path)) {
            try await waitForStart()
        }
        withExtendedLifetime(lock) {}
    }

    @Test func `a restore is no starting server, and keeps servers off the folder`() async throws {
        let lock = try data.lock(willListen: false)
        #expect(try await waitForStart() == (0, 0))
        #expect(throws: DataFolderError.inUse(path: data.path)) { try data.lock() }
        withExtendedLifetime(lock) {}
    }

    @Test func `the master key is made once, and read by its owner alone`() throws {
        let secret = Secret(bytes: [UInt8](repeating: 5, count: 32))
        #expect(try data.masterKey { secret }.bytes == secret.bytes)
        #expect(try data.masterKey { Secret(bytes: []) }.bytes == secret.bytes)
        let file = data.path + "/master.key"
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test(arguments: [0o640, 0o604, 0o620])
    func `a key that others can read or write stops the server`(mode: Int) throws {
        let secret = Secret(bytes: [UInt8](repeating: 5, count: 32))
        _ = try data.masterKey { secret }
        try data.makeTLSIdentity()
        for name in ["master.key", "tls.key"] {
            let file = data.path + "/" + name
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
            #expect(throws: DataFolderError.notPrivate(path: file)) {
                _ = try data.masterKey { secret }
                try data.makeTLSIdentity()
            }
            #expect(
                DataFolderError.notPrivate(path: file).words.hint?.contains("chmod 600") == true
            )
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        }
        #expect(try data.masterKey { secret }.bytes == secret.bytes)
    }

    @Test(arguments: ["", "abc", "zz", String(repeating: "0", count: 63)])
    func `a damaged master key stops the server`(text: String) throws {
        let file = data.path + "/master.key"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(throws: DataFolderError.damagedKey(path: file)) {
            try data.masterKey { Secret(bytes: [UInt8](repeating: 5, count: 32)) }
        }
    }
}
