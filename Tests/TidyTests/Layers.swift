/// The order of a target's folders, and what is wrong with a graph by it.
struct Layers: Sendable {
    /// A folder may use those of earlier lists and none of its own; "" is the target itself.
    let order: [[String]]

    /// Folders that may use fewer than their place in the order lets them.
    var only: [String: Set<String>] = [:]

    /// Folder → folders that it uses against the order; each must still be true.
    var tolerated: [String: Set<String>] = [:]

    /// What is wrong, with places; empty where the order holds.
    func findings(in graph: FolderGraph) -> [String] {
        let wrong = Set(graph.uses.keys.filter { !allows($0) })
        let listed = Set(
            tolerated.flatMap { user, used in
                used.map { FolderGraph.Edge(user, $0) }
            }
        )
        return unplaced(in: graph)
            + wrong.subtracting(listed).sorted().map { graph.description(of: $0, examples: 3) }
            + graph.removing(listed).circles.map { graph.description(of: $0) }
            + listed.subtracting(wrong).sorted().map {
                "\($0) is tolerated and not so: remove it from the list"
            }
    }

    private func allows(_ edge: FolderGraph.Edge) -> Bool {
        guard let user = height(of: edge.user), let used = height(of: edge.used), used < user else {
            return false
        }
        return only[edge.user]?.contains(edge.used) ?? true
    }

    private func height(of folder: String) -> Int? {
        order.firstIndex { $0.contains(folder) }
    }

    private func unplaced(in graph: FolderGraph) -> [String] {
        let placed = Set(order.joined())
        return graph.folders.subtracting(placed).sorted().map {
            "\(FolderGraph.shown($0)) has no place in the order: add it"
        }
            + placed.subtracting(graph.folders).sorted().map {
                "\(FolderGraph.shown($0)) has a place in the order and is no folder: remove it"
            }
    }
}
