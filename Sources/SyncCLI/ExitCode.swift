/// What a finished command tells the shell.
enum ExitCode: Int32, Sendable, CaseIterable {
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

    /// The code in the words of the help.
    var meaning: String {
        switch self {
        case .success: "done"
        case .failure: "it failed, or some items did"
        case .usage: "the command line was not understood"
        case .notFound: "what was named is not there"
        case .attention: "something needs your attention"
        case .network: "no network, or no server; what was written is queued and safe"
        case .authentication:
            "the server refused, or is not the one that is trusted, or 'wake verify' found a fault"
        }
    }
}
