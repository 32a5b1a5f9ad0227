/// A safe spelling of a time zone name in the IANA database, such as `Europe/Amsterdam`.
///
/// The database is a directory of files, and names come from other devices. So a name has at most
/// 64 bytes, begins with a capital letter, and consists of parts of letters, digits, `_`, `-` and
/// `+`, separated by slashes. Such a name cannot leave the directory (path traversal). Nor can it
/// name a file such as `localtime`, which is no zone or differs between machines. The zone need not
/// exist.
public struct ZoneName: Hashable, Sendable {
    /// The name's text.
    public let text: String

    private static let byteLimit = 64

    /// Creates a name of this form; nil for any other text.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.byteLimit, let first = text.utf8.first,
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.mayStand) })
        else { return nil }
        self.text = text
    }

    private static func mayStand(_ character: UInt8) -> Bool {
        switch Unicode.Scalar(character) {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", "+": true
        default: false
        }
    }
}
