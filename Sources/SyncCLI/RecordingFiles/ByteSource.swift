internal import Glibc
import SyncCore

/// A stream of bytes with its name and, if known, its size.
struct ByteSource {
    /// The name for messages.
    let name: String
    /// The file name without folders, or nil if the source is no file.
    var fileName: String?
    /// The total size, or nil if it is unknown.
    var byteCount: Int?
    /// Reads the next bytes; empty at the end.
    var next: () throws -> [UInt8]
    /// Seeks like `lseek`; nil if the source is not seekable.
    var seek: ((_ offset: Int64, _ whence: Int32) -> Int64)?
}

extension ByteSource {
    init(standardInputOf context: Context) {
        let fileName = context.inputPath().flatMap(Self.fileName)
        self.init(name: "standard input", fileName: fileName, next: context.input)
    }

    init(_ path: String) throws(FileError) {
        let input = try InputFile(path)
        self.init(
            name: path,
            fileName: Self.fileName(of: path),
            byteCount: input.byteCount,
            next: input.next,
            seek: input.byteCount == nil ? nil : input.seek
        )
    }

    /// Returns the last component of a path.
    static func fileName(of path: String) -> String? {
        path.split(separator: "/").last.map(String.init)
    }

    /// The file name without its extension, which names tracks that have no name.
    var stem: String? {
        guard let fileName else { return nil }
        let stem = fileName.lastIndex(of: ".").map { fileName[..<$0] } ?? fileName[...]
        return String(stem.isEmpty ? fileName[...] : stem)
    }

    /// Makes reads throw `CancellationError` once the user has interrupted the program.
    mutating func stop(when isOver: @escaping () -> Bool) {
        let rest = next
        next = {
            let piece = try rest()
            guard !isOver() else { throw CancellationError() }
            return piece
        }
    }

    /// Returns the first bytes without consuming them.
    mutating func peek(_ count: Int) throws -> [UInt8] {
        var head: [UInt8] = []
        while head.count < count {
            let piece = try next()
            if piece.isEmpty { break }
            head += piece
        }
        if let seek, seek(0, SEEK_SET) == 0 { return head }
        let rest = next
        var first: [UInt8]? = head
        next = {
            defer { first = nil }
            return try first.flatMap { $0.isEmpty ? nil : $0 } ?? rest()
        }
        return head
    }
}

extension ByteSource {
    /// Returns the decompressed bytes if the source is a gzip file (`.gpx.gz`), otherwise itself.
    func unpacked() throws -> ByteSource {
        var packed = self
        switch try Archive.Kind(head: packed.peek(Archive.Kind.headSize)) {
        case nil: return packed
        case .zip: throw ArchiveError.nested
        case .gzip:
            let archive = try Archive(.gzip, packed)
            _ = try archive.nextEntry()
            return ByteSource(name: name, fileName: stem, next: archive.next)
        }
    }
}
