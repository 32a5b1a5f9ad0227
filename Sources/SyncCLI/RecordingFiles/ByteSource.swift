internal import Glibc
import SyncCore

/// Bytes that come piece by piece, and what is known of them.
struct ByteSource {
    /// What a person calls it.
    let name: String
    /// What it is called without its folders; nil for what is no file.
    var fileName: String?
    /// How many bytes there are, where that is known.
    var byteCount: Int?
    /// The next bytes; none at the end.
    var next: () throws -> [UInt8]
    /// Goes to an offset from the place that `whence` names, as `lseek` does; nil where there is no
    /// way back.
    var seek: ((_ offset: Int64, _ whence: Int32) -> Int64)?
}

extension ByteSource {
    /// Standard input.
    init(standardInputOf context: Context) {
        self.init(
            name: "standard input",
            fileName: context.inputPath().flatMap(Self.fileName),
            next: context.input
        )
    }

    /// A file.
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

    /// The name of a file without its folders.
    static func fileName(of path: String) -> String? {
        path.split(separator: "/").last.map(String.init)
    }

    /// The name without its ending: what a track without a name is called.
    var stem: String? {
        guard let fileName else { return nil }
        let stem = fileName.lastIndex(of: ".").map { fileName[..<$0] } ?? fileName[...]
        return String(stem.isEmpty ? fileName[...] : stem)
    }

    /// Throws from now on instead of giving bytes, once a person ended the program.
    mutating func stop(when isOver: @escaping () -> Bool) {
        let rest = next
        next = {
            let piece = try rest()
            guard !isOver() else { throw CancellationError() }
            return piece
        }
    }

    /// The first bytes, which stay to be read.
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
    /// The bytes themselves, where they come as one compressed file (`.gpx.gz`).
    func unpacked() throws -> ByteSource {
        var packed = self
        switch try Archive.Kind(head: packed.peek(Archive.Kind.headSize)) {
        case nil: return packed
        case .zip: throw ArchiveError.nested
        case .gzip:
            let archive = try Archive(.gzip, packed)
            _ = try archive.nextEntry()
            return ByteSource(
                name: name,
                fileName: stem,
                next: archive.next
            )
        }
    }
}
