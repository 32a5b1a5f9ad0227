import Foundation
import ProgramKit
import SyncCore
import Testing

@testable import SyncServer

/// The key that a server makes for itself, and what it tells invitations.
@Suite struct OwnCertificateTests {
    private let folder: TestFolder
    private let data: DataFolder

    init() throws {
        folder = try TestFolder()
        data = try DataFolder(folder.path + "/data")
    }

    private func trust() throws -> ServerTrust {
        try ServerIdentity(Configuration.Serve(data: data.path), in: data).trust
    }

    @Test func `key and certificate are made once, and read by their owner alone`() throws {
        let first = try trust()
        #expect(try trust() == first)
        for file in [data.key, data.certificate] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: data.path)
        #expect(names.sorted() == ["tls.crt", "tls.key", "views"])
    }

    @Test func `a crash between key and certificate costs nothing`() throws {
        let first = try trust()
        try FileManager.default.removeItem(atPath: data.certificate)
        #expect(try trust() == first)
    }

    @Test func `a certificate without its key stops the server`() throws {
        _ = try trust()
        try FileManager.default.removeItem(atPath: data.key)
        #expect(throws: DataFolderError.noTLSKey(path: data.key)) { try trust() }
    }

    @Test func `no link is made for a key that is missing`() async throws {
        let trust = try trust()
        let keys = ServerKeys(master: try data.masterKey(random: Server.randomSecret))
        _ = try await data.openStore(keys)
        try data.setAddress(ServerAddress(authority: "test:1", trust: trust))
        let words = ["invite", "ann", "--data", data.path]
        #expect(await ProgramRun(words).code == .success)
        try FileManager.default.removeItem(atPath: data.key)
        let run = await ProgramRun(words)
        #expect(run.code == .failure && run.output.isEmpty, "\(run)")
        #expect(run.errors.contains(data.key))
    }

    @Test func `a damaged file stops the server`() throws {
        _ = try trust()
        let (key, certificate) = (data.key, data.certificate)
        try "x".write(toFile: certificate, atomically: true, encoding: .utf8)
        #expect(throws: TLSError.noCertificate(path: certificate)) { try trust() }
        try FileManager.default.removeItem(atPath: certificate)
        // In place, so that it stays private.
        try "x".write(toFile: key, atomically: false, encoding: .utf8)
        #expect(throws: TLSError.noKey(path: key)) { try trust() }
        try "".write(toFile: key, atomically: false, encoding: .utf8)
        #expect(throws: TLSError.empty(path: key)) { try trust() }
    }

    @Test func `a reload makes no key`() throws {
        let identity = try ServerIdentity(Configuration.Serve(data: data.path), in: data)
        let first = identity.trust
        for file in [data.key, data.certificate] {
            try FileManager.default.removeItem(atPath: file)
        }
        let error = TLSError.unreadable(path: data.certificate, code: ENOENT)
        #expect(throws: error) { try identity.reload() }
        #expect(identity.trust == first)
        try data.makeTLSIdentity()
        try identity.reload()
        #expect(identity.trust != first)
    }

    @Test(arguments: [ServerTrust.plain, .authorities, .pinned(Digest(of: [1]))])
    func `how the server is reached is kept`(trust: ServerTrust) throws {
        #expect(try data.address == nil)
        let address = ServerAddress(authority: "wake.example:443", trust: trust)
        try data.setAddress(address)
        #expect(try data.address == address)
    }
}
