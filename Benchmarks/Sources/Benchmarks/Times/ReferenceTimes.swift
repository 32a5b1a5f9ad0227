internal import Foundation

/// Our figures beside programs in C that do the same work with nothing around it.
///
/// They are the references of the measurements beside the repository, built on the spot: rows with
/// packed clocks (`w1.c`), and columns of points in chunks (`w2.c`). They have no signatures for
/// each member, no history and no deletions.
enum ReferenceTimes {
    /// Measures all of it; throws where a source or the compiler is not here.
    static func times() async throws -> [Time] {
        let reference = try Reference()
        let rows = try reference.rows()
        let points = try reference.points()
        let merges = try await MergeTimes.times()
        let packing = try PointTimes.times()
        return [
            Time(
                name: "reference in C: merged edits",
                value: rows.merge,
                unit: "a second",
                floor: ("plain UPDATE in C", rows.update)
            )
        ]
            + merges.map { $0.beside("the reference in C", rows.merge) }
            + packing.dropFirst().prefix(2).map { $0.beside("the reference in C", points) }
    }
}

extension Time {
    fileprivate func beside(_ name: String, _ value: Double) -> Time {
        Time(name: self.name, value: self.value, unit: unit, floor: (name, value))
    }
}

/// The reference programs, built in a folder of their own.
private struct Reference {
    private let folder: Folder
    private let sources: String

    init() throws {
        folder = try Folder()
        sources = Folder.shared + "/bench"
        for name in ["w1", "w2"] {
            // The compiler of the toolchain: a machine that builds Wake has it.
            try Program(path: "/usr/bin/env").run(
                ["clang", "-O2", "-w", "\(sources)/\(name).c", "-o", "\(folder.path)/\(name)"]
                    + ["-lsqlite3", "-lzstd", "-lcrypto", "-lm"]
            )
        }
        try Program(path: "/usr/bin/env")
            .run(["python3", "\(sources)/gen.py", folder.path + "/data"])
    }

    /// Edits a second: merged at three devices each, and plain updates of as many.
    func rows() throws -> (merge: Double, update: Double) {
        let program = Program(path: folder.path + "/w1")
        let rates = try ["row", "plain"].map { mode in
            let output = try program.output([folder.path + "/data", mode, folder.path])
            return try rate(after: "merge", before: "edits/s", in: output)
        }
        return (rates[0], rates[1])
    }

    /// Points a second that are encoded in chunks of 5,000.
    func points() throws -> Double {
        let output = try Program(path: folder.path + "/w2")
            .output([folder.path + "/data/w2_points.bin", folder.path])
        let line = output.split(separator: "\n")
            .first { $0.hasPrefix("page  4096 rowid") && $0.contains("chunk 5000") }
        return try rate(after: "encode", before: "store", in: String(line ?? "")) * 1e6
    }

    /// Returns the last number of a line between two words.
    private func rate(after: String, before: String, in output: String) throws -> Double {
        for line in output.split(separator: "\n") {
            guard let start = line.range(of: after), let end = line.range(of: before),
                start.upperBound < end.lowerBound
            else { continue }
            let words = line[start.upperBound..<end.lowerBound]
                .split { " ,()".contains($0) }
                .compactMap { Double($0) }
            if let rate = words.last, rate > 0 { return rate }
        }
        throw ProgramError.failed(after, [], status: -1)
    }
}
