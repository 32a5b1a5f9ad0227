/// Why the server rejected a request; the protocol's only table of errors.
///
/// A fault in an authentic change set is never an error of this table but the set's verdict.
package enum ProblemType: String, CaseIterable, Sendable {
    /// The request is not the expected CBOR or JSON, or a field is malformed.
    case badEncoding = "bad-encoding"
    /// The signature is missing or invalid, or the device is unknown or revoked.
    case unauthorized = "unauthorized"
    /// The signature is valid, but the device's clock differs too much from the server's.
    case clockSkew = "clock-skew"
    /// The device MAC of a change set is invalid.
    case badMAC = "bad-mac"
    /// The member's role does not permit the request.
    case forbidden = "forbidden"
    /// The resource does not exist or is not visible to this user.
    case notFound = "not-found"
    /// The path exists, but does not support the method.
    case methodNotAllowed = "method-not-allowed"
    /// An earlier change set of the replica is missing.
    case sequenceGap = "sequence-gap"
    /// Two different change sets of a replica have the same sequence.
    ///
    /// At enrolment: another device has the same id.
    case fork = "fork"
    /// Another control set came before this one, which must be sealed again.
    case stale = "stale"
    /// A change set names a chunk that was neither pushed with it nor stored before.
    case chunksMissing = "chunks-missing"
    /// The cursor belongs to another epoch.
    case cursorReset = "cursor-reset"
    /// The request exceeds a limit in bytes or number.
    case tooLarge = "too-large"
    /// The request head has too many bytes or fields.
    case headTooLarge = "head-too-large"
    /// The content coding, transfer coding or media type is not supported.
    case unsupportedEncoding = "unsupported-encoding"
    /// The requested range lies outside the content.
    case rangeNotSatisfiable = "range-not-satisfiable"
    /// The server does not support the format of the change set.
    case upgradeRequired = "upgrade-required"
    /// The client exceeded a rate limit.
    case rateLimited = "rate-limited"
    /// The server failed; its log has the details.
    case `internal` = "internal"
    /// The server is starting or stopping, or its database is not available.
    case unavailable = "unavailable"
    /// The server's free disk space is down to its reserve.
    case storageFull = "storage-full"

    /// What a client does about a problem.
    package enum Remedy: Hashable, Sendable {
        /// Send the same request again later.
        case retry
        /// Correct the request, using the data in the problem document.
        case fix
        /// Start over from the server's state.
        case reset
        /// Tell the person; the client cannot solve it alone.
        case ask
    }

    private var row: (status: Int, remedy: Remedy, title: String) {
        switch self {
        case .badEncoding: (400, .ask, "The request is malformed")
        case .unauthorized: (401, .ask, "The device is unknown or was revoked")
        case .clockSkew: (401, .fix, "The device's clock is wrong")
        case .badMAC: (403, .ask, "The device did not seal this change set")
        case .forbidden: (403, .ask, "The role does not allow this")
        case .notFound: (404, .ask, "Not found")
        case .methodNotAllowed: (405, .ask, "The method is not supported")
        case .sequenceGap: (409, .fix, "An earlier change set is missing")
        case .fork: (409, .ask, "The replica was copied or restored")
        case .stale: (409, .fix, "Another control set came first")
        case .chunksMissing: (409, .fix, "A chunk of the change set is missing")
        case .cursorReset: (409, .reset, "The cursor belongs to another epoch")
        case .tooLarge: (413, .fix, "The request is too large")
        case .unsupportedEncoding: (415, .fix, "The encoding is not supported")
        case .rangeNotSatisfiable: (416, .fix, "The range cannot be satisfied")
        case .upgradeRequired: (426, .ask, "The program is too old")
        case .rateLimited: (429, .retry, "Too many requests")
        case .headTooLarge: (431, .ask, "The head of the request is too large")
        case .internal: (500, .retry, "The server failed")
        case .unavailable: (503, .retry, "The server is not available")
        case .storageFull: (507, .retry, "The server's storage is full")
        }
    }

    package var status: Int { row.status }

    /// A sentence without full stop, the same for all problems of this type.
    package var title: String { row.title }

    package var remedy: Remedy { row.remedy }
}
