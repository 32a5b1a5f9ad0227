/// What a finished command tells the shell.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case success = 0
    /// Some items failed, or something went wrong that has no code of its own.
    case failure = 1
    /// The command line was not understood.
    case usage = 2
    /// A track, key, device or file that was named does not exist.
    case notFound = 3
    /// A conflict, or something that waits for the person's decision.
    case attention = 4
    /// The server could not be reached; what was written is queued and safe.
    case network = 5
    /// The server refused, or what is verified is wrong.
    case authentication = 6
}
