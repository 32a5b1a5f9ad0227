import Foundation

/// The table of ``ReliabilityCases`` and their tests, as `docs/RELIABILITY.md` has it.
struct ReliabilityPage: Sendable {
    /// A test whose name begins with ids of cases.
    struct NamedTest: Hashable, Sendable {
        let ids: [String]
        let name: String
        let path: String
    }

    static let path = "docs/RELIABILITY.md"

    let tests: [NamedTest]

    init(_ sources: [Source]) {
        tests = sources.flatMap(Self.tests)
    }

    private static func tests(in source: Source) -> [NamedTest] {
        source.lines.indices.compactMap { index in
            // Not what only stands in a literal.
            guard source.code[index].contains("func `"),
                let match = source.lines[index].firstMatch(
                    of: /func `((?:[A-Z][0-9]{1,2}[:,]? )+)(.+)`\(/
                )
            else { return nil }
            return NamedTest(
                ids: match.output.1.split(separator: " ").map(String.init),
                name: String(match.output.2),
                path: source.path
            )
        }
    }

    /// What is wrong with the tables and the names of tests.
    var faults: [String] {
        let known = ReliabilityCases.all.map(\.id)
        let (tested, pending) = (Set(tests.flatMap(\.ids)), ReliabilityCases.pending)
        let named = Set(pending.keys).union(ReliabilityCases.remarks.keys).union(tested)
        return known.filter { !tested.contains($0) && pending[$0] == nil }
            .map { "\($0) has neither a test nor a reason why not" }
            + known.filter { tested.contains($0) && pending[$0] != nil }
            .map { "\($0) has a test: take away the reason why not" }
            + ReliabilityCases.remarks.keys.filter { !tested.contains($0) }.sorted()
            .map { "\($0) has a remark and no test" }
            + named.subtracting(known).sorted()
            .map { "there is no case \($0); ids have nothing but a space behind them" }
            + Set(known.filter { id in known.count { $0 == id } > 1 }).sorted()
            .map { "there are two cases \($0)" }
    }

    /// The tables and how many cases are in them.
    var table: String {
        let tested = Set(tests.flatMap(\.ids))
        let all = ReliabilityCases.all
        let count = all.count { tested.contains($0.id) }
        let parts = ReliabilityCases.remarks.count
        let sections = ReliabilityCases.sections.map { section in
            "### \(section.title)\n\n| | case | test |\n|---|---|---|\n"
                + section.cases.flatMap(rows).map { $0 + "\n" }.joined()
        }
        return "\(count) of \(all.count) cases have tests, \(parts) of them in part.\n\n"
            + sections.joined(separator: "\n")
    }

    private func rows(of case: ReliabilityCases.Case) -> [String] {
        let id = `case`.id
        var cells = tests.filter { $0.ids.contains(id) }
            .sorted { ($0.path, $0.name) < ($1.path, $1.name) }
            .map { "[\($0.name)](../\($0.path))" }
        if let reason = ReliabilityCases.pending[id] { cells.append("pending: \(reason)") }
        if let remark = ReliabilityCases.remarks[id] { cells.append("in part: \(remark)") }
        return cells.enumerated().map { index, cell in
            index == 0 ? "| \(id) | \(`case`.meaning) | \(cell) |" : "| | | \(cell) |"
        }
    }

    private static let (begin, end) = (
        "<!-- made by the tests: make reliability -->", "<!-- until here -->"
    )

    /// The page with the table in its place; nil where its marks are not there.
    func page(from present: String) -> String? {
        guard let begin = present.range(of: Self.begin), let end = present.range(of: Self.end),
            begin.upperBound <= end.lowerBound
        else { return nil }
        return present[..<begin.upperBound] + "\n" + table + present[end.lowerBound...]
    }
}
