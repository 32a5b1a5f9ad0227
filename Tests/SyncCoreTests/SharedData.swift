import Glibc

/// Real recordings beside the repository, which are never copied into it.
///
/// Found in `$WAKE_SHARED`, else in `../shared` from the package root; tests that need them are
/// skipped where they are not.
enum SharedData {
    /// The directory of this package.
    static let packageRoot = #filePath.split(separator: "/").dropLast(3)
        .reduce("") { $0 + "/" + $1 }

    private static let root: String = {
        guard let path = unsafe getenv("WAKE_SHARED") else { return packageRoot + "/../shared" }
        return unsafe String(cString: path)
    }()

    /// Whether the recordings are there.
    static let isHere = unsafe access(root + "/data/README.md", R_OK) == 0

    /// The bytes of `data/<path>`.
    static func bytes(_ path: String) throws -> [UInt8] {
        try contents(of: "\(root)/data/\(path)")
    }

    private static func contents(of path: String) throws -> [UInt8] {
        guard let file = unsafe fopen(path, "rb") else { throw Missing(path: path) }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe fread(&piece, 1, piece.count, file)
            guard count > 0 else { return bytes }
            bytes += piece[..<count]
        }
    }

    struct Missing: Error {
        let path: String
    }
}
