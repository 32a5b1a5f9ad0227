/// Which folder of a target uses which other, and where.
struct FolderGraph: Sendable {
    /// One folder that uses another.
    struct Edge: Hashable, Comparable, Sendable, CustomStringConvertible {
        let user: String
        let used: String

        init(_ user: String, _ used: String) {
            self.user = user
            self.used = used
        }

        static func < (left: Edge, right: Edge) -> Bool {
            (left.user, left.used) < (right.user, right.used)
        }

        var description: String { "\(FolderGraph.shown(user)) uses \(FolderGraph.shown(used))" }
    }

    /// A place where a symbol of another folder is used.
    struct Use: Hashable, Comparable, Sendable, CustomStringConvertible {
        let path: String
        let line: Int
        let symbol: String

        static func < (left: Use, right: Use) -> Bool {
            (left.path, left.line, left.symbol) < (right.path, right.line, right.symbol)
        }

        var description: String { "\(path):\(line) \(symbol)" }
    }

    /// Paths from the target; empty for the target itself.
    let folders: Set<String>
    private(set) var uses: [Edge: Set<Use>] = [:]

    init(folders: some Sequence<String>) {
        self.folders = Set(folders)
    }

    /// Adds a use; within a folder everything may be used.
    mutating func insert(_ edge: Edge, _ use: Use) {
        guard edge.user != edge.used else { return }
        uses[edge, default: []].insert(use)
    }

    /// The same without some of its edges.
    func removing(_ edges: Set<Edge>) -> FolderGraph {
        var rest = self
        rest.uses = uses.filter { !edges.contains($0.key) }
        return rest
    }

    /// Folders of which each uses each other, by whatever way: strongly connected components.
    var circles: [[String]] {
        let reached = folders.reduce(into: [:]) { $0[$1] = follow(from: $1) }
        let circles = folders.map { folder in
            folders.filter {
                reached[folder]?.contains($0) == true && reached[$0]?.contains(folder) == true
            }.sorted()
        }
        return Set(circles).filter { !$0.isEmpty }.sorted { $0[0] < $1[0] }
    }

    private func follow(from folder: String) -> Set<String> {
        var reached: Set<String> = []
        var waiting = [folder]
        while let next = waiting.popLast() {
            for edge in uses.keys where edge.user == next {
                if reached.insert(edge.used).inserted { waiting.append(edge.used) }
            }
        }
        return reached
    }

    /// An edge with so many of its places.
    func description(of edge: Edge, examples: Int) -> String {
        let places = (uses[edge] ?? []).sorted()
        return "\(edge) \(places.count) times"
            + places.prefix(examples).map { "\n    \($0)" }.joined()
    }

    /// A circle with one place of each of its edges.
    func description(of circle: [String]) -> String {
        let edges = uses.keys.filter { circle.contains($0.user) && circle.contains($0.used) }
        return "circle of " + circle.map(Self.shown).joined(separator: ", ")
            + edges.sorted().map { "\n" + description(of: $0, examples: 1) }.joined()
    }

    /// All of it, for people: how many edges and circles, and each edge.
    func report(of target: String, examples: Int) -> String {
        let circles = circles
        let lines =
            ["\(target): \(folders.count) folders, \(uses.count) edges, \(circles.count) circles"]
            + circles.map { "circle of " + $0.map(Self.shown).joined(separator: ", ") }
            + uses.keys.sorted().map { description(of: $0, examples: examples) }
        return lines.joined(separator: "\n") + "\n"
    }

    static func shown(_ folder: String) -> String { folder.isEmpty ? "(root)" : folder }
}
