import ProgramKit
import SyncCore

/// The report of an import: a result per file and a summary.
struct ImportReport {
    let output: Output
    private var results: [ImportResult] = []
    private var passedOverCount = 0
    private var isOfMany = false

    init(output: Output) { self.output = output }

    mutating func add(_ result: ImportResult) {
        if !result.isNamed { isOfMany = true }
        guard !result.isPassedOver else {
            passedOverCount += 1
            return
        }
        results.append(result)
        result.tell(on: output)
    }

    /// Prints the summary and returns the exit status.
    func finish() throws -> ExitCode {
        guard !results.isEmpty else {
            throw UserError.notFound("the folder contains no recording")
        }
        if output.isJSON {
            output.json(.object([("files", .array(results.map(\.json)))]))
        } else if isOfMany {
            output.note(summary)
        }
        guard let first = results.lazy.compactMap(\.userError).first else { return .success }
        return results.count == 1 ? first.code : .failure
    }

    private var summary: String {
        let entries = results.flatMap(\.tracks)
        let new = results.contains(where: \.isDry) ? "would be imported" : "imported"
        let left = entries.count(where: \.isSkipped)
        let here = entries.count { !$0.row.isNew }
        let places = results.reduce(0) {
            $0 + Set($1.places.filter(\.row.isNew).map(\.row.id)).count
        }
        let bad = results.count { $0.userError != nil }
        let parts = [
            (entries.count - here - left).counted("track") + " \(new)", "\(here) already imported",
            left == 0 ? "" : "\(left) skipped", places == 0 ? "" : places.counted("place"),
            bad == 0 ? "" : bad.counted("file") + " failed",
        ]
        let passedOver = passedOverCount.counted(
            "file that is not a recording",
            "files that are not recordings"
        )
        return results.count.counted("file") + ": "
            + parts.filter { !$0.isEmpty }.joined(separator: ", ")
            + (passedOverCount == 0 ? "" : "; skipped \(passedOver)")
    }
}
