internal import CProbe
internal import Glibc

/// Prints what is promised and what it takes; ends with 1 where a promise is broken.
@main
enum Benchmarks {
    static func main() async {
        do {
            try await run()
        } catch {
            complain("benchmarks: error: \(error)\n")
            exit(1)
        }
    }

    private static func run() async throws {
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
            times: try await times(arguments)
        )
        print(arguments.contains("--json") ? try report.json() : report.text, terminator: "")
        exit(report.isKept ? 0 : 1)
    }

    private static func counts() async throws -> [Count] {
        try await WireCounts.counts() + ChunkCounts.counts() + StoreCounts.counts()
            + GrowthCounts.counts() + CommandCounts.counts() + ExportCounts.counts()
            + RestCounts.counts()
            + ListCounts.counts() + TrackEditCounts.counts() + LinkCounts.counts()
    }

    private static func times(_ arguments: Set<String>) async throws -> [Time] {
        guard !arguments.contains("--counts") else { return [] }
        // The programs first: a child of a large process starts more slowly.
        return try await (arguments.contains("--large") ? LargeTimes.times() : [])
            + ProgramTimes.times() + LibraryTimes.times() + ImportTimes.times()
            + ExportTimes.times() + EditTimes.times() + MergeTimes.times() + TrackTimes.times()
            + FigureTimes.times() + TrackEditTimes.times()
    }

    /// Tells on standard error.
    static func complain(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
    }
}
