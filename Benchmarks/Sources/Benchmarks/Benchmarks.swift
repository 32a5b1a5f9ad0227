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
        var arguments = Array(CommandLine.arguments.dropFirst())
        var only: String?
        if let index = arguments.firstIndex(of: "--only"), index + 1 < arguments.count {
            only = arguments[index + 1]
            arguments.removeSubrange(index...index + 1)
        }
        guard Set(arguments).isSubset(of: ["--json", "--counts", "--large"]),
            only.map({ Group(rawValue: $0) != nil }) ?? true
        else {
            let names = Group.allCases.map(\.rawValue).joined(separator: "|")
            complain("usage: Benchmarks [--json] [--counts] [--large] [--only \(names)]\n")
            exit(2)
        }
        cprobe_watch()
        let groups = only.flatMap(Group.init).map { [$0] } ?? Group.allCases
        var report = Report(
            thresholds: try Thresholds(path: Folder.repository + "/Benchmarks/thresholds.json"),
            isPartial: only != nil
        )
        for group in groups { report.counts += try await group.counts() }
        if !arguments.contains("--counts") {
            // The programs first: a child of a large process starts more slowly.
            if arguments.contains("--large") { report.times += try await LargeTimes.times() }
            for group in groups { report.times += try await group.times() }
        }
        print(arguments.contains("--json") ? try report.json() : report.text, terminator: "")
        exit(report.isKept ? 0 : 1)
    }

    /// Tells on standard error.
    static func complain(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe write(STDERR_FILENO, bytes, bytes.count)
    }
}

/// What can be measured alone: counts, then times.
private enum Group: String, CaseIterable {
    case wire, bodies, chunks, store, growth, commands, exported = "exported-files", rest, lists
    case editing = "track-editing", links
    case programs, library, imports, exports, edits, merges, points, tracks, figures, references
    case trackEdits = "track-edits"

    func counts() async throws -> [Count] {
        switch self {
        case .wire: try await WireCounts.counts()
        case .bodies: try await BodyCounts.counts()
        case .chunks: try ChunkCounts.counts()
        case .store: try await StoreCounts.counts()
        case .growth: try await GrowthCounts.counts()
        case .commands: try await CommandCounts.counts()
        case .exported: try await ExportCounts.counts()
        case .rest: try await RestCounts.counts()
        case .lists: try await ListCounts.counts()
        case .editing: try await TrackEditCounts.counts()
        case .links: try LinkCounts.counts()
        default: []
        }
    }

    func times() async throws -> [Time] {
        switch self {
        case .programs: try await ProgramTimes.times()
        case .library: try await LibraryTimes.times()
        case .imports: try ImportTimes.times()
        case .exports: try await ExportTimes.times()
        case .edits: try await EditTimes.times()
        case .merges: try await MergeTimes.times()
        case .points: try PointTimes.times()
        case .references: try await ReferenceTimes.times()
        case .tracks: try await TrackTimes.times()
        case .figures: try FigureTimes.times()
        case .trackEdits: try await TrackEditTimes.times()
        default: []
        }
    }
}
