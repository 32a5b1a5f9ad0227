/// Why a file is not what it should be, and where.
package struct FormatError: Error, Equatable {
    /// From 1.
    package let line: Int
    /// From 1, in bytes.
    package let column: Int
    /// What is wrong there.
    package let reason: Reason

    /// What can be wrong with a file.
    package enum Reason: Error, Equatable {
        /// Not well-formed XML; the number is expat's, from `expat.h`.
        case malformed(code: Int)
        /// The file ends before its root element does, or is empty.
        case truncated
        /// A document type declaration, which no track needs and bombs do.
        case documentType
        /// Elements are nested deeper than any track needs.
        case tooDeep
        /// More bytes than a file, a text or an attribute may have.
        case tooLarge
        /// More elements than any track needs.
        case tooManyElements(limit: Int)
        /// The root element is another one.
        case notThisFormat
        /// A point without latitude or longitude.
        case missingCoordinate
        /// A latitude or longitude that is no number or out of range.
        case badCoordinate(String)
        /// A number that is none, or out of range, in the element named.
        case badNumber(element: String, String)
        /// A time that is none.
        case badTime(String)
    }
}
