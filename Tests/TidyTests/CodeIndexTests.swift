import Testing

/// What follows from the places where symbols stand.
@Suite struct CodeIndexTests {
    private static func declaration(
        _ usr: String,
        kind: Int = 6,
        in parent: Occurrence.Relation? = nil
    ) -> Occurrence {
        Occurrence(
            roles: [.definition],
            line: 1,
            kind: kind,
            usr: usr,
            name: usr,
            relation: parent
        )
    }

    private static func use(_ usr: String, extendedIn usrOfExtension: String? = nil) -> Occurrence {
        Occurrence(
            roles: [.reference],
            line: 2,
            kind: 6,
            usr: usr,
            name: usr,
            relation: usrOfExtension.map {
                Occurrence.Relation(roles: .extendedBy, usr: $0, name: usr)
            }
        )
    }

    private static func child(of usr: String) -> Occurrence.Relation {
        Occurrence.Relation(roles: .childOf, usr: usr, name: usr)
    }

    @Test func `a use leads to the folder that declares, within one target`() {
        let index = CodeIndex(files: [
            "Sources/T/A/A.swift": [Self.declaration("A"), Self.use("A"), Self.use("String")],
            "Sources/T/A/B.swift": [Self.use("A")],
            "Sources/T/B/Deep/B.swift": [Self.use("A")],
            "Sources/T/Main.swift": [Self.use("A")],
            "Sources/U/A/A.swift": [Self.use("A")],
        ])
        let graph = index.graph(of: "T")
        #expect(graph.folders == ["A", "B/Deep", ""])
        #expect(
            graph.uses.keys.sorted() == [
                FolderGraph.Edge("", "A"), FolderGraph.Edge("B/Deep", "A"),
            ]
        )
        #expect(index.graph(of: "U").uses.isEmpty)
    }

    @Test func `a member of an extension belongs to the file where it is written`() {
        let `extension` = Occurrence.Kind.extension
        let index = CodeIndex(files: [
            "Sources/T/A/A.swift": [Self.declaration("A")],
            "Sources/T/B/A+B.swift": [
                Self.declaration("A", kind: `extension`), Self.use("A", extendedIn: "e"),
                Self.declaration("f", kind: 16, in: Self.child(of: "e")),
            ],
            "Sources/T/C/C.swift": [Self.use("f")],
        ])
        #expect(
            index.graph(of: "T").uses.keys.sorted() == [
                FolderGraph.Edge("B", "A"), FolderGraph.Edge("C", "B"),
            ]
        )
    }

    @Test func `methods of extensions count for their type, initialisers do not`() {
        let index = CodeIndex(files: [
            "Sources/T/A.swift": [
                Self.declaration("A"),
                Self.declaration("f", kind: 16, in: Self.child(of: "A")),
                Self.declaration("init", kind: 22, in: Self.child(of: "A")),
            ],
            "Sources/U/A+B.swift": [
                Self.use("A", extendedIn: "e"),
                Self.declaration("g", kind: 18, in: Self.child(of: "e")),
            ],
        ])
        #expect(index.methodCounts == ["A": 2])
    }

    @Test func `of several compilations of a file the last counts`() {
        let units = [("a", 1), ("b", 3), ("c", 2)].map {
            IndexStore.Unit(file: "A.swift", record: $0, nanoseconds: $1)
        }
        #expect(CodeIndex.newest(units).values.map(\.record) == ["b"])
    }

    @Test func `a folder without an index is told with what to do`() {
        let error = #expect(throws: IndexError.self) {
            try IndexStore(path: "/dev/null/store")
        }
        #expect(error?.description.contains("swift build --build-tests") == true)
    }
}
