import Glibc

/// A folder of its own for one test, removed with everything in it when the test lets go of it.
final class TemporaryFolder: Sendable {
    /// The folder, without a slash at its end.
    let path: String

    init() throws {
        var template = Array(("/tmp/wake-test-" + String(repeating: "X", count: 6)).utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw Failed(errno: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in names { unsafe unlink(path + "/" + name) }
        unsafe rmdir(path)
    }

    /// The files in it; there are no folders.
    private var names: [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
                unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Whether a file is in it.
    func contains(_ name: String) -> Bool {
        unsafe access(path + "/" + name, F_OK) == 0
    }

    /// Copies a file within the folder; what was there is replaced.
    func copy(_ source: String, to target: String) throws {
        try write(try contents(of: source), to: target)
    }

    /// Removes a database and what SQLite made beside it.
    func remove(_ name: String) {
        for suffix in ["", "-wal", "-shm", ".seals"] { unsafe unlink(path + "/" + name + suffix) }
    }

    /// Writes a file; what was there is replaced.
    func write(_ bytes: [UInt8], to target: String) throws {
        let descriptor = unsafe open(path + "/" + target, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw Failed(errno: errno) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { throw Failed(errno: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The bytes of a file.
    func contents(of name: String) throws -> [UInt8] {
        let descriptor = unsafe open(path + "/" + name, O_RDONLY)
        guard descriptor >= 0 else { throw Failed(errno: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(descriptor, &piece, piece.count)
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }

    struct Failed: Error {
        let errno: Int32
    }
}
