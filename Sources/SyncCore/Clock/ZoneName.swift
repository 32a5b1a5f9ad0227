/// What may be the name of a time zone in the IANA database, such as `Europe/Amsterdam`.
///
/// The database is a folder of files, and names come from other devices. So a name has letters,
/// digits, `_`, `-` and `+` in parts between slashes, at most 64 bytes, and begins with a capital
/// letter: none leaves the folder, and none is a file there that is no zone or not the same
/// everywhere, such as `localtime`. Whether there is such a zone is another question.
public struct ZoneName: Hashable, Sendable {
    /// The name.
    public let text: String

    private static let byteLimit = 64

    /// A name of this form; nil for any other text.
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
