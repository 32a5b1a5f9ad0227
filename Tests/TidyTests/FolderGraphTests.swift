import Testing

/// The layers find what is wrong in graphs of a few folders.
@Suite struct FolderGraphTests {
    private static let layers = Layers(order: [["A", "B"], ["C"], [""]])

    /// A graph of three folders and the root in which these use those.
    private static func graph(_ edges: (String, String)...) -> FolderGraph {
        var graph = FolderGraph(folders: ["A", "B", "C", ""])
        for (user, used) in edges {
            let path = "Sources/T/\(user)/X.swift"
            graph.insert(
                FolderGraph.Edge(user, used),
                FolderGraph.Use(path: path, line: 7, symbol: "f()")
            )
        }
        return graph
    }

    @Test func `what uses lower layers is right, and the root may use all`() {
        let graph = Self.graph(("C", "A"), ("C", "B"), ("", "A"), ("", "C"))
        #expect(Self.layers.findings(in: graph).isEmpty)
        #expect(graph.circles.isEmpty)
    }

    @Test(arguments: [("A", "C"), ("A", "B"), ("B", "")])
    func `what uses a higher layer, its own or the root is found`(user: String, used: String) {
        let findings = Self.layers.findings(in: Self.graph((user, used)))
        let shown = used.isEmpty ? "(root)" : used
        #expect(
            findings == ["\(user) uses \(shown) 1 times\n    Sources/T/\(user)/X.swift:7 f()"]
        )
    }

    @Test func `a folder that may know less than its place lets it is held to that`() {
        let layers = Layers(order: [["A"], ["B"], ["C"], [""]], only: ["C": ["B"]])
        #expect(layers.findings(in: Self.graph(("C", "B"), ("B", "A"))).isEmpty)
        #expect(layers.findings(in: Self.graph(("C", "A"))).count == 1)
    }

    @Test func `circles are found, through other folders too`() {
        #expect(Self.graph(("A", "B"), ("B", "A"), ("C", "A")).circles == [["A", "B"]])
        #expect(Self.graph(("A", "B"), ("B", "C"), ("C", "A")).circles == [["A", "B", "C"]])
        let circle = Self.graph(("A", "C"), ("C", "A"))
        let finding = """
            circle of A, C
            A uses C 1 times
                Sources/T/A/X.swift:7 f()
            C uses A 1 times
                Sources/T/C/X.swift:7 f()
            """
        #expect(Self.layers.findings(in: circle).last == finding)
    }

    @Test func `what is tolerated is no finding until it is gone`() {
        let layers = Layers(order: Self.layers.order, tolerated: ["A": ["C"]])
        #expect(layers.findings(in: Self.graph(("A", "C"), ("C", "A"))).isEmpty)
        #expect(
            layers.findings(in: Self.graph(("C", "A")))
                == ["A uses C is tolerated and not so: remove it from the list"]
        )
    }

    @Test func `a use that is right cannot be tolerated`() {
        let layers = Layers(order: Self.layers.order, tolerated: ["C": ["A"]])
        #expect(layers.findings(in: Self.graph(("C", "A"))).count == 1)
    }

    @Test func `folders and places in the order are the same`() {
        let graph = FolderGraph(folders: ["A", "B", "D", ""])
        #expect(
            Self.layers.findings(in: graph) == [
                "D has no place in the order: add it",
                "C has a place in the order and is no folder: remove it",
            ]
        )
    }
}
