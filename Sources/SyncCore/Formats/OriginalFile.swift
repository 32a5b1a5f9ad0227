/// An imported file, packed into chunks.
package struct OriginalFile: Sendable {
    /// The file name without folders, or empty.
    package let name: String
    /// The SHA-256 of the file's bytes.
    package let digest: Digest
    package let byteCount: Int
    /// The chunks in order, each with its byte offset in the file.
    package let pieces: [(offset: Int, chunk: [UInt8])]
}
