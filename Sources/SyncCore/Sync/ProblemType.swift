/// Why the server refused a request: the one table of the protocol's errors.
///
/// What is wrong with an authentic change set is never here but in its verdict.
package enum ProblemType: String, CaseIterable, Sendable {
    /// Not the CBOR, JSON or field that belongs here.
    case badEncoding = "bad-encoding"
    /// No signature, an unknown or revoked device, or a signature that is not right.
    case unauthorized = "unauthorized"
    /// Signed by the right device with a clock too far from the server's.
    case clockSkew = "clock-skew"
    /// A change set whose seal is not the device's.
    case badMAC = "bad-mac"
    /// The member's role does not allow it.
    case forbidden = "forbidden"
    /// Not there, or not visible to this user.
    case notFound = "not-found"
    /// The path is there, the method is not.
    case methodNotAllowed = "method-not-allowed"
    /// A change set before this one is missing.
    case sequenceGap = "sequence-gap"
    /// Two different change sets of a replica have the same place.
    case fork = "fork"
    /// A chunk that a change set refers to neither came along nor is there.
    case chunksMissing = "chunks-missing"
    /// The cursor is of another epoch.
    case cursorReset = "cursor-reset"
    /// What follows the cursor was compacted away.
    case cursorExpired = "cursor-expired"
    /// A limit in bytes or in number.
    case tooLarge = "too-large"
    /// More bytes or fields before the body than are read.
    case headTooLarge = "head-too-large"
    /// A content or transfer coding, or a type of body, that is not spoken here.
    case unsupportedEncoding = "unsupported-encoding"
    /// No byte of the range that was asked for is there.
    case rangeNotSatisfiable = "range-not-satisfiable"
    /// The client is older than the space.
    case upgradeRequired = "upgrade-required"
    /// Too many requests.
    case rateLimited = "rate-limited"
    /// A fault of the server; its log says more.
    case `internal` = "internal"
    /// Stopping, starting, or without its database.
    case unavailable = "unavailable"
    /// The disk is down to its reserve.
    case storageFull = "storage-full"

    /// What a client does about it.
    package enum Remedy: Hashable, Sendable {
        /// Send the same again later.
        case retry
        /// Send something else: the client can see from the members what.
        case fix
        /// Start over from the server's state.
        case reset
        /// Tell the person: only someone else can change it.
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
        case .chunksMissing: (409, .fix, "A chunk of the change set is missing")
        case .cursorReset: (409, .reset, "The cursor belongs to another epoch")
        case .cursorExpired: (410, .reset, "The cursor is too old")
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

    /// The HTTP status of the reply.
    package var status: Int { row.status }

    /// A sentence without a full stop, the same for all problems of the type.
    package var title: String { row.title }

    /// What a client does about it.
    package var remedy: Remedy { row.remedy }
}
