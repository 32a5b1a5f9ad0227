import Foundation
import Testing

/// Every failure that Wake must survive has a test, or a reason why there is none.
@Suite struct ReliabilityTests {
    private static let page = Result { try ReliabilityPage(Source.all(under: "Tests")) }

    @Test func `every case of failure has a test or a reason why not`() throws {
        let faults = try Self.page.get().faults
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    /// The page is written by this test, so that it never lags behind for longer than one run.
    @Test func `the table of cases and tests is up to date`() throws {
        let file = Source.root.appending(path: ReliabilityPage.path)
        let present = try String(contentsOf: file, encoding: .utf8)
        let made = try #require(try Self.page.get().page(from: present), "its marks are not there")
        guard made != present else { return }
        try made.write(to: file, atomically: true, encoding: .utf8)
        let isAskedFor = ProcessInfo.processInfo.environment["WAKE_RELIABILITY"] == "write"
        #expect(isAskedFor, "\(ReliabilityPage.path) was not up to date; it is now: commit it")
    }

    @Test func `a test that carries a case is found by the first words of its name`() {
        let text = """
            @Test func `C1 C2 a name`() {}
            @Test(arguments: [1]) func `S12 another`(x: Int) {}
            @Test func `C3: with a colon`() {}
            @Test func `a C4 not so`() {}
            let x = "func `C5 not so`()"
            """
        let page = ReliabilityPage([Source(path: "Tests/A/B.swift", text: text)])
        #expect(page.tests.map(\.ids) == [["C1", "C2"], ["S12"], ["C3:"]])
        #expect(page.tests.map(\.name) == ["a name", "another", "with a colon"])
        #expect(page.faults.contains("C5 has neither a test nor a reason why not"))
        #expect(!page.faults.contains { $0.hasPrefix("C1 ") })
        #expect(page.faults.contains { $0.hasPrefix("there is no case C3:") })
        #expect(page.page(from: "no marks") == nil)
    }

    @Test func `a case that is none, and a reason beside a test, are found`() {
        let text = "@Test func `R1 T99 a name`() {}\n"
        let page = ReliabilityPage([Source(path: "Tests/A/B.swift", text: text)])
        #expect(page.faults.contains { $0.hasPrefix("there is no case T99") })
        #expect(page.faults.contains("R1 has a test: take away the reason why not"))
    }
}
