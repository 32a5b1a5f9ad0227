import Foundation
package import SyncCore

/// One vector of `Tests/Vectors`: what goes in, the verdict, and what comes out.
///
/// The form of the files is explained in `Tests/Vectors/README.md`.
package struct Vector: Sendable {
    /// What is judged, such as `value` or `header`.
    package let kind: String
    /// What is special about it.
    package let name: String
    /// Everything below the first line, in order; a name can stand more than once.
    package private(set) var fields: [Field] = []

    /// A named value.
    package struct Field: Sendable {
        package let name: String
        fileprivate var content: Content

        /// The value as it is written.
        package var text: String {
            switch content {
            case .text(let text): text
            case .bytes(let bytes): bytes.hexadecimal
            }
        }

        /// The bytes that the text stands for.
        fileprivate func bytes(in vector: Vector) throws -> [UInt8] {
            switch content {
            case .text(let text): try vector.bytes(of: text, name)
            case .bytes(let bytes): bytes
            }
        }
    }

    /// A value as a file has it, or as a test put it in its place.
    fileprivate enum Content: Sendable {
        case text(String)
        case bytes([UInt8])
    }

    /// The verdict that it must get: `ok` or a reason; nil where that is to be found out.
    package var expected: String? { text("expect") }

    /// Whether it must be accepted.
    package var isGood: Bool { expected == "ok" }
}

extension Vector {
    /// Every value with this name.
    package func texts(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.text)
    }

    /// The only value with this name, nil without one.
    package func text(_ name: String) -> String? {
        texts(name).first
    }

    /// The only value with this name.
    package func required(_ name: String) throws -> String {
        guard let text = text(name) else { throw BadVector(vector: description, field: name) }
        return text
    }

    /// The bytes of every value with this name.
    package func allBytes(_ name: String) throws -> [[UInt8]] {
        try fields.filter { $0.name == name }.map { try $0.bytes(in: self) }
    }

    /// The bytes of the only value with this name.
    package func bytes(_ name: String) throws -> [UInt8] {
        guard let field = fields.first(where: { $0.name == name }) else {
            throw BadVector(vector: description, field: name)
        }
        return try field.bytes(in: self)
    }

    /// The bytes of the field `index`.
    package func bytes(at index: Int) throws -> [UInt8] {
        try fields[index].bytes(in: self)
    }

    /// Pairs of a number and bytes: a key by its epoch, a chunk by its length.
    package func numberedBytes(_ name: String) throws -> [(number: UInt64, bytes: [UInt8])] {
        try texts(name).map { text in
            let words = text.split(separator: " ", maxSplits: 1)
            guard let number = UInt64(words[0]) else {
                throw BadVector(vector: description, field: name)
            }
            return (number, words.count == 1 ? [] : try bytes(of: String(words[1]), name))
        }
    }

    /// A whole number.
    package func integer<Number: FixedWidthInteger>(_ name: String) throws -> Number {
        guard let number = Number(try required(name)) else {
            throw BadVector(vector: description, field: name)
        }
        return number
    }

    package func identifier(_ name: String) throws -> Identifier {
        guard let id = Identifier(bytes: try bytes(name)) else {
            throw BadVector(vector: description, field: name)
        }
        return id
    }

    package func publicKey(_ name: String) throws -> PublicKey {
        guard let key = PublicKey(bytes: try bytes(name)) else {
            throw BadVector(vector: description, field: name)
        }
        return key
    }

    package func digest(_ name: String) throws -> Digest {
        guard let digest = Digest(bytes: try bytes(name)) else {
            throw BadVector(vector: description, field: name)
        }
        return digest
    }

    /// Hexadecimal words, each perhaps repeated as in `f6*24`; the rest of a line from `#` on is a
    /// comment.
    private func bytes(of text: String, _ name: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        for line in text.split(separator: "\n") {
            for word in line.prefix(while: { $0 != "#" }).split(separator: " ") {
                let parts = word.split(separator: "*")
                guard let part = [UInt8](hexadecimal: String(parts[0])),
                    let count = parts.count == 1 ? 1 : Int(parts[1])
                else { throw BadVector(vector: description, field: name) }
                for _ in 0..<count { bytes += part }
            }
        }
        return bytes
    }
}

extension Vector: CustomStringConvertible {
    package var description: String { "\(kind): \(name)" }

    /// The vector as it stands in a file.
    package var written: String {
        fields.reduce(description + "\n") { $0 + "\($1.name): \($1.text)\n" }
    }

    /// The vector as somebody who does not know its verdict gets it.
    package var withoutVerdict: Vector {
        var vector = self
        vector.fields.removeAll { $0.name == "expect" }
        return vector
    }

    /// The vector with another value in the place of the field `index`, and perhaps another name.
    package func replacing(_ index: Int, with text: String, name: String? = nil) -> Vector {
        replacing(index, with: .text(text), name)
    }

    /// The same with bytes.
    package func replacing(_ index: Int, with bytes: [UInt8], name: String? = nil) -> Vector {
        replacing(index, with: .bytes(bytes), name)
    }

    private func replacing(_ index: Int, with content: Content, _ name: String?) -> Vector {
        var vector = Vector(kind: kind, name: name ?? self.name, fields: fields)
        vector.fields[index].content = content
        return vector
    }
}

extension Vector {
    /// The folder of the files.
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Vectors")

    /// The vectors of every file.
    package static func all() throws -> [Vector] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
            .filter { $0.hasSuffix(".txt") }
            .flatMap { try file($0) }
    }

    /// The vectors of one file.
    package static func file(_ name: String) throws -> [Vector] {
        let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
        var vectors: [Vector] = []
        var isInside = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            switch line.first {
            case nil: isInside = false
            case "#": break
            case " ":
                guard let last = vectors.last?.fields.indices.last else {
                    throw BadVector(vector: name, field: String(line))
                }
                let text = vectors[vectors.count - 1].fields[last].text + "\n" + line
                vectors[vectors.count - 1].fields[last].content = .text(text)
            default:
                let (key, value) = try pair(line, in: name)
                if isInside {
                    vectors[vectors.count - 1].fields
                        .append(Field(name: key, content: .text(value)))
                } else {
                    vectors.append(Vector(kind: key, name: value))
                    isInside = true
                }
            }
        }
        return vectors
    }

    private static func pair(_ line: Substring, in file: String) throws -> (String, String) {
        guard let colon = line.firstIndex(of: ":") else {
            throw BadVector(vector: file, field: String(line))
        }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return (String(line[..<colon]), String(value))
    }
}

/// A vector that says too little, or something that cannot be read.
package struct BadVector: Error {
    let vector: String
    let field: String

    package init(vector: String, field: String) {
        self.vector = vector
        self.field = field
    }
}
