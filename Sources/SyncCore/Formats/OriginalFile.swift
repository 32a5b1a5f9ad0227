/// The file that tracks came from, in chunks as it is kept.
package struct OriginalFile: Sendable {
    /// What it was called, without folders; empty where it had no name.
    package let name: String
    /// The SHA-256 of its bytes.
    package let digest: Digest
    /// How many bytes it has.
    package let byteCount: Int
    /// Its pieces in order, and where each begins.
    package let pieces: [(offset: Int, chunk: [UInt8])]
}
