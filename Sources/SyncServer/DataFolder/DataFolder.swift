internal import FoundationEssentials
internal import Glibc
internal import ProgramKit
internal import SyncCore

/// The files of one server: store, views, master key, revocations, TLS and last address.
struct DataFolder: Sendable {
    let path: String

    /// Opens or creates the folder and its views' folder, with mode 700.
    init(_ path: String) throws(DataFolderError) {
        self.path = path
        for folder in [path, path + "/views"] { try Self.makeFolder(folder) }
    }

    /// Opens the folder of a server that has a store.
    init(existing path: String) throws(DataFolderError) {
        self.path = path
        guard FileManager.default.fileExists(atPath: store) else { throw .noStore(path: path) }
    }

    /// Opens a folder that has a master key; its store may be lost.
    init(withKeyAt path: String) throws(DataFolderError) {
        let file = path + "/master.key"
        guard unsafe access(file, F_OK) == 0 else {
            let isStoreThere = unsafe access(path + "/store.db", F_OK) == 0
            throw isStoreThere ? .noKey(path: file) : .noKeyYet(path: file)
        }
        try self.init(path)
    }

    private static func makeFolder(_ folder: String) throws(DataFolderError) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            var isFolder = false
            let isThere = FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder)
            let reason = isThere && !isFolder ? ENOTDIR : Self.code(of: error)
            throw .notWritable(path: folder, code: reason)
        }
    }

    private static func code(of error: any Error) -> Int32 {
        switch (error as? CocoaError)?.code {
        case .fileWriteNoPermission: EACCES
        case .fileWriteOutOfSpace: ENOSPC
        case .fileWriteVolumeReadOnly: EROFS
        case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
        default: EIO
        }
    }

    var store: String { path + "/store.db" }
    var views: String { path + "/views" }

    /// Returns the master key; a new folder gets one from `random`.
    ///
    /// Programs that start at once on a new folder get the same key.
    func masterKey(random: () -> Secret) throws(DataFolderError) -> Secret {
        let file = path + "/master.key"
        let isNew = !FileManager.default.fileExists(atPath: store)
        guard try address == nil || isStoreThere else { throw .lostStore(path: store) }
        let isThere = try readText(of: file) != nil
        guard isNew || isThere else { throw .noKey(path: file) }
        if !isThere { try makeFile(file, random().bytes.hexadecimal + "\n") }
        try requirePrivate(file)
        return try presentMasterKey()
    }

    /// Returns the master key, or throws if it is missing or damaged.
    func presentMasterKey() throws(DataFolderError) -> Secret {
        let file = path + "/master.key"
        guard let text = try readText(of: file) else { throw .noKey(path: file) }
        let digits = text.prefix { !$0.isWhitespace }
        guard let bytes = [UInt8](hexadecimal: String(digits)), bytes.count == 32 else {
            throw .damagedKey(path: file)
        }
        return Secret(bytes: bytes)
    }

    /// Throws if other users can read a key; a missing file is no fault.
    func requirePrivate(_ file: String) throws(DataFolderError) {
        var status = stat()
        guard unsafe stat(file, &status) == 0, status.st_mode & 0o077 != 0 else { return }
        throw .notPrivate(path: file)
    }

    /// Whether the store or its write-ahead log has content.
    private var isStoreThere: Bool {
        [store, store + "-wal"].contains { file in
            var status = stat()
            return unsafe stat(file, &status) == 0 && status.st_size > 0
        }
    }

    /// All devices that were ever revoked, also after a restore of an older database.
    ///
    /// The sum after an id shows damage; an operator may leave it out. A line that is no device id, or has
    /// another sum, is an error: the device that it means would get in.
    var revocations: [Identifier] {
        get throws(DataFolderError) {
            let lines = (try readText(of: revocationsFile) ?? "")
                .split(separator: "\n", omittingEmptySubsequences: false)
            var devices: [Identifier] = []
            for (number, line) in zip(1..., lines) {
                let words = line.split(whereSeparator: \.isWhitespace)
                guard let word = words.first else { continue }
                guard let device = Identifier(String(word)), words.count <= 2,
                    words.count == 1 || words[1] == Self.sum(of: device)
                else {
                    throw .notADevice(path: revocationsFile, line: number, text: String(line))
                }
                devices.append(device)
            }
            return devices
        }
    }

    /// The file of revocations, which exists from the first start on.
    var revocationsFile: String { path + "/revocations" }

    /// Whether the folder says who was revoked, if only that nobody was.
    var hasRevocations: Bool {
        get throws(DataFolderError) { try readText(of: revocationsFile) != nil }
    }

    /// Adds devices to the file of revocations, and creates it.
    func appendRevocations(of devices: [Identifier]) throws(DataFolderError) {
        let lines = devices.map { "\($0) \(Self.sum(of: $0))\n" }.joined()
        // An editor may have left the last line without its end.
        let noted = try readText(of: revocationsFile) ?? ""
        let isOpen = !noted.isEmpty && !noted.hasSuffix("\n")
        try writeText((isOpen ? "\n" : "") + lines, to: revocationsFile, O_CREAT | O_APPEND)
    }

    /// The first 8 hexadecimal digits of the SHA-256 of a device's id, to detect a damaged line.
    private static func sum(of device: Identifier) -> Substring {
        Digest(of: device.bytes).description.prefix(8)
    }

    /// Locks the folder against servers and restores while the returned lock lives.
    ///
    /// With `willListen`, the server counts as starting until ``noteListening(at:with:)``.
    func lock(willListen: Bool = true) throws(DataFolderError) -> FileLock {
        let file = Self.lockFile(in: path)
        let (lock, isOurs): (FileLock, Bool)
        do throws(FileLockError) {
            lock = try FileLock(path: file)
            isOurs = try lock.tryLock(byte: Self.serving)
            if isOurs, !willListen { _ = try lock.tryLock(byte: Self.listening) }
        } catch {
            switch error {
            case .unavailable(let code): throw .notWritable(path: file, code: code)
            }
        }
        guard isOurs else { throw .inUse(path: path) }
        return lock
    }

    /// Writes the address and marks it as current.
    ///
    /// Call between bind and listen.
    func noteListening(at address: ServerAddress, with lock: FileLock) throws {
        try setAddress(address)
        let isMarked = try lock.tryLock(byte: Self.listening)
        assert(isMarked, "only the server that holds the lock marks the address")
    }

    /// Whether a server runs or starts on this folder.
    var isServed: Bool { FileLock.isLocked(byte: Self.serving, at: Self.lockFile(in: path)) }

    /// Whether a server on the folder at `path` is starting and does not listen yet.
    static func isStarting(at path: String) -> Bool {
        let file = lockFile(in: path)
        return FileLock.isLocked(byte: serving, at: file)
            && !FileLock.isLocked(byte: listening, at: file)
    }

    /// Waits for a starting server, because its address is not known before it listens.
    ///
    /// Calls `onLongWait` once after a second, and throws ``DataFolderError/stillStarting(path:)``
    /// after a minute. `sleep` takes milliseconds.
    static func waitForStart(
        at path: String,
        sleep: (Int) async throws -> Void,
        onLongWait: () -> Void
    ) async throws {
        var waited = 0
        while isStarting(at: path) {
            guard waited < startLimitMilliseconds else {
                throw DataFolderError.stillStarting(path: path)
            }
            if waited == longMilliseconds { onLongWait() }
            try await sleep(startPauseMilliseconds)
            waited += startPauseMilliseconds
        }
    }

    private static let startLimitMilliseconds = 60_000
    private static let longMilliseconds = 1000
    private static let startPauseMilliseconds = 20

    // The locked bytes of the lock file: one from start to exit, one while it listens.
    private static let serving = 0
    private static let listening = 1

    private static func lockFile(in path: String) -> String { path + "/lock" }

    /// Returns the text of a file, or nil if it does not exist.
    func readText(of file: String) throws(DataFolderError) -> String? {
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw .notReadable(path: file, code: errno)
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            guard count >= 0 else { throw .notReadable(path: file, code: errno) }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece.prefix(count)
        }
    }

    /// Creates a file atomically; an existing one is kept.
    func makeFile(_ file: String, _ text: String) throws(DataFolderError) {
        let draft = "\(file).\(getpid())"
        // If anything fails, no part of a key may remain on disk.
        defer { _ = unsafe unlink(draft) }
        try writeText(text, to: draft, O_CREAT | O_TRUNC)
        // Some file systems have no hard links.
        let isMade =
            unsafe link(draft, file) == 0 || access(file, F_OK) == 0 || rename(draft, file) == 0
        guard isMade else { throw .notWritable(path: file, code: errno) }
        try Self.synchronizeFolder(of: file)
    }

    /// Makes the directory entry of a file durable.
    static func synchronizeFolder(of file: String) throws(DataFolderError) {
        let code = FolderSync.synchronize(folderOf: file)
        guard code == 0 else { throw .notWritable(path: file, code: code) }
    }

    func writeText(_ text: String, to file: String, _ flags: Int32) throws(DataFolderError) {
        let descriptor = unsafe open(file, O_WRONLY | O_CLOEXEC | flags, 0o600)
        guard descriptor >= 0 else { throw .notWritable(path: file, code: errno) }
        defer { close(descriptor) }
        let end = lseek(descriptor, 0, SEEK_END)
        var code = Console.send(Array(text.utf8), to: descriptor)
        if code == 0, fsync(descriptor) != 0 { code = errno }
        guard code == 0 else {
            // An incomplete line would corrupt the one after it.
            ftruncate(descriptor, end)
            throw .notWritable(path: file, code: code)
        }
    }
}

/// A data folder that cannot be used.
enum DataFolderError: Error, Equatable {
    /// A file or folder cannot be created or written.
    ///
    /// `code` is an errno.
    case notWritable(path: String, code: Int32)
    /// A file exists and cannot be read.
    ///
    /// `code` is an errno.
    case notReadable(path: String, code: Int32)
    case noStore(path: String)
    /// A server ran on the folder, but the store is missing.
    case lostStore(path: String)
    /// The store exists without its master key.
    case noKey(path: String)
    /// A restore needs a master key, and the folder has none.
    case noKeyYet(path: String)
    /// Other users can read a key.
    case notPrivate(path: String)
    /// The master key is not 64 hexadecimal digits.
    case damagedKey(path: String)
    /// No server has listened with this store yet.
    case noAddress(path: String)
    /// The certificate exists without its key.
    case noTLSKey(path: String)
    /// A line of the file of revocations is no device id, or has another sum.
    case notADevice(path: String, line: Int, text: String)
    /// Another server runs on the folder.
    case inUse(path: String)
    /// A starting server did not listen within a minute.
    case stillStarting(path: String)
}
