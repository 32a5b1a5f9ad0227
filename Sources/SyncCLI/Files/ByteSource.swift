internal import Glibc
import SyncCore

/// Bytes that come piece by piece, and what is known of them.
struct ByteSource {
    /// What a person calls it.
    let name: String
    /// What a track without a name is called; nil for none.
    var stem: String?
    /// When it was made, for a log that does not tell its date.
    var time: UnixTime?
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
        self.init(name: "standard input", next: context.input)
    }

    /// A file.
    init(_ path: String) throws(FileError) {
        let input = try InputFile(path)
        self.init(
            name: path,
            stem: Self.stem(of: path),
            time: InputFile.modified(path),
            byteCount: input.byteCount,
            next: input.next,
            seek: input.byteCount == nil ? nil : input.seek
        )
    }

    /// The name of a file without its folders and its ending.
    static func stem(of path: String) -> String? {
        guard let last = path.split(separator: "/").last else { return nil }
        let stem = last.lastIndex(of: ".").map { last[..<$0] } ?? last
        return String(stem.isEmpty ? last : stem)
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
                stem: stem.flatMap(Self.stem),
                time: time,
                next: archive.next
            )
        }
    }
}
