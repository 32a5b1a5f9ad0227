/// The permanent name of a sample, unique even if a device is cloned.
///
/// It consists of the recorder run or import that the sample came from, and the index there. As the
/// field of a `points` cell it names the first sample of a chunk: sixteen lower-case hexadecimal
/// digits, a slash, a decimal number.
package struct SampleName: Hashable, Comparable, Sendable {
    /// 64 random bits from each start of a recorder; for an import, derived from the file.
    package let stream: UInt64
    /// The sample's index in its stream, from 0 to below 2^48.
    package let index: Int

    package init(stream: UInt64, index: Int) { (self.stream, self.index) = (stream, index) }

    /// The name of the next sample in the stream.
    package var next: SampleName { SampleName(stream: stream, index: index + 1) }

    /// The name as a field.
    package var field: Text { Text(stream.bigEndianBytes.hexadecimal + "/\(index)") }

    /// Parses a field, or returns nil for anything that ``field`` would not write.
    package init?(field: Text) {
        let parts = field.string.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = [UInt8](hexadecimal: String(parts[0])),
            bytes.count == 8, let index = Int(parts[1]), index >= 0, index < 1 << 48
        else { return nil }
        self.init(stream: UInt64(bigEndian: bytes), index: index)
        guard self.field == field else { return nil }
    }

    /// Decodes a value with the text of a field, or returns nil for anything else.
    init?(_ value: Value?) {
        guard case .text(let field)? = value else { return nil }
        self.init(field: field)
    }

    /// Orders by stream, then by index.
    package static func < (left: SampleName, right: SampleName) -> Bool {
        left.stream == right.stream ? left.index < right.index : left.stream < right.stream
    }
}
