/// A sample's name for ever, also on a cloned device: the recorder run or import that gave it, and
/// its place there.
///
/// As the field of a `points` cell it names the first sample of a chunk: sixteen lower-case
/// hexadecimal digits, a slash, a decimal number.
package struct SampleName: Hashable, Comparable, Sendable {
    /// 64 random bits made at each start of a recorder; of an import, made from the file.
    package let stream: UInt64
    /// 0 for the stream's first sample.
    package let index: Int

    /// The name of a sample.
    package init(stream: UInt64, index: Int) {
        self.stream = stream
        self.index = index
    }

    /// The name of the sample after it in its stream.
    package var next: SampleName { SampleName(stream: stream, index: index + 1) }

    /// The name as a field.
    package var field: Text {
        Text(stream.bigEndianBytes.hexadecimal + "/\(index)")
    }

    /// Reads a field; nil for anything else than ``field`` writes.
    package init?(field: Text) {
        let parts = field.string.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = [UInt8](hexadecimal: String(parts[0])),
            bytes.count == 8, let index = Int(parts[1]), index >= 0, index < 1 << 48
        else { return nil }
        self.init(stream: UInt64(bigEndian: bytes), index: index)
        guard self.field == field else { return nil }
    }

    /// Orders by stream, then by index.
    package static func < (left: SampleName, right: SampleName) -> Bool {
        left.stream == right.stream ? left.index < right.index : left.stream < right.stream
    }
}
