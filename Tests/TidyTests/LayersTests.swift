import Foundation
import Testing

/// Checks the uses of types, functions and members against the layers of the house.
@Suite struct LayersTests {
    private static let index = Result { try CodeIndex.ofBuild() }

    @Test(arguments: House.layers.keys.sorted())
    func `a folder uses only folders of lower layers`(target: String) throws {
        let graph = try Self.index.get().graph(of: target)
        let findings = try #require(House.layers[target]).findings(in: graph)
        guard !findings.isEmpty else { return }
        Issue.record("\(target):\n\(findings.joined(separator: "\n"))")
    }

    @Test func `every Swift target has layers`() throws {
        let targets = try Self.index.get().files.keys.map { $0.split(separator: "/")[1] }
        #expect(Set(targets.map(String.init)) == Set(House.layers.keys))
    }

    @Test func `no type has more methods than can be learnt`() throws {
        let wide = try Self.index.get().methodCounts.filter { $0.value > House.mostMethods }
        #expect(wide == House.toleratedMethods)
    }

    @Test func `the graph is written where it is wanted`() throws {
        let index = try Self.index.get()
        let targets = House.layers.filter { $0.value.order.count > 1 }.keys.sorted()
        let reports = targets.map { index.graph(of: $0).report(of: $0, examples: 3) }
        #expect(reports.allSatisfy { $0.contains(" uses ") })
        guard let path = ProcessInfo.processInfo.environment["WAKE_GRAPH"] else { return }
        try Data(reports.joined(separator: "\n").utf8).write(to: URL(filePath: path))
    }
}
