import SyncCore

/// Decides which files of a folder are complete: those that nobody writes any more.
///
/// File systems do not reliably report that a file was closed, least of all network file systems;
/// but a file that is being written keeps changing.
struct QuietFiles {
    /// How long a file must be unchanged before its first import.
    ///
    /// Doubles each time the file has grown again, so slowly written logs are not read too often.
    static let quietMilliseconds: Int64 = 3000
    private static let longestQuietMilliseconds: Int64 = 600_000

    private var seen: [String: (state: FileState, since: Int64)] = [:]
    private var taken: [String: (state: FileState, nextQuiet: Int64)] = [:]

    /// Returns the files to import; each once until it changes.
    ///
    /// `uptime` is in milliseconds and monotonic, unlike `now`.
    mutating func look(_ files: [String: FileState], uptime: Int64, now: UnixTime) -> [String] {
        taken = taken.filter { files[$0.key] != nil }
        var quiet: [String] = []
        var next: [String: (state: FileState, since: Int64)] = [:]
        for (path, state) in files where taken[path]?.state != state {
            var since = uptime
            if let before = seen[path], before.state == state { since = before.since }
            let age = now.milliseconds(since: state.changed) ?? .max
            let needed = taken[path]?.nextQuiet ?? Self.quietMilliseconds
            if max(age, uptime - since) >= needed {
                quiet.append(path)
                taken[path] = (state, min(2 * needed, Self.longestQuietMilliseconds))
            } else {
                next[path] = (state, since)
            }
        }
        seen = next
        return quiet.sorted()
    }
}
