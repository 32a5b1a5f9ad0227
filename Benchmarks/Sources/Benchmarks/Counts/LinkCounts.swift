/// What the programs need from the machine they run on.
enum LinkCounts {
    /// Measures all of it.
    static func counts() throws -> [Count] {
        try [("wake", Program.wake), ("wake-server", Program.server)].map { name, program in
            let libraries = try Program(path: "/usr/bin/ldd").output([program.path])
                .split(separator: "\n")
            return Count(
                "Swift libraries that \(name) needs",
                libraries.count { $0.contains("libswift") || $0.contains("libFoundation") }
            )
        }
    }
}
