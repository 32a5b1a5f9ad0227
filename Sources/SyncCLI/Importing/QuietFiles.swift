import SyncCore

/// Which files of a folder may be read: those that nobody writes any more.
///
/// A value: looks in, names out. A file system does not tell reliably when a file was closed, least
/// of all one that lies on another machine, but a file that is written changes.
struct QuietFiles {
    /// So long a file was not written when it is taken first; twice as long each time it goes on
    /// then, for a log that is written now and then would be taken as often.
    static let quietMilliseconds: Int64 = 3000
    private static let longestQuietMilliseconds: Int64 = 600_000

    private var seen: [String: (state: FileState, since: Int64)] = [:]
    private var taken: [String: (state: FileState, nextQuiet: Int64)] = [:]

    /// The files to be taken, now that the folder holds these; each once, until it changes.
    ///
    /// `uptime` is in milliseconds, and never goes back as a clock may.
    mutating func look(_ files: [String: FileState], uptime: Int64, now: UnixTime) -> [String] {
        taken = taken.filter { files[$0.key] != nil }
        var quiet: [String] = []
        var next: [String: (state: FileState, since: Int64)] = [:]
        for (path, state) in files where taken[path]?.state != state {
            var since = uptime
            if let before = seen[path], before.state == state { since = before.since }
            let age = now.milliseconds.subtractingReportingOverflow(state.changed.milliseconds)
            let needed = taken[path]?.nextQuiet ?? Self.quietMilliseconds
            let isOld = age.overflow || age.partialValue >= needed
            if isOld || uptime - since >= needed {
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
