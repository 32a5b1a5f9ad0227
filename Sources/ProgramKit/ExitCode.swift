/// The exit status of a command.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    /// Some items failed, or an error without a code of its own.
    case failure = 1
    /// The command line is invalid.
    case usage = 2
    /// A named track, key, device or file does not exist.
    case notFound = 3
    /// A conflict, or something that needs a person's decision.
    case attention = 4
    /// The server could not be reached; local changes are queued and safe.
    case network = 5
    /// The server rejected the request, or a verification failed.
    case authentication = 6
}
