internal import CProbe
internal import Glibc

/// Prints what is promised and what it takes; ends with 1 where a promise is broken.
@main
enum Benchmarks {
    static func main() async throws {
        let arguments = Set(CommandLine.arguments.dropFirst())
        guard arguments.isSubset(of: ["--json", "--counts", "--large"]) else {
            complain("usage: Benchmarks [--json] [--counts] [--large]\n")
            exit(2)
        }
        cprobe_watch()
        let counts = try await counts()
        let report = Report(
            thresholds: try Thresholds(path: Folder.repository + "/Benchmarks/thresholds.json"),
            counts: counts,
            times: []
        )
        print(arguments.contains("--json") ? try report.json() : report.text, terminator: "")
        exit(report.isKept ? 0 : 1)
    }

    private static func counts() async throws -> [Count] {
        try await WireCounts.counts() + ChunkCounts.counts() + StoreCounts.counts()
            + LinkCounts.counts()
    }

    /// Tells on standard error.
    static func complain(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
    }
}
