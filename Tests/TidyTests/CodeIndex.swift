import Foundation

/// Which file of the package declares each symbol, and which files use it.
struct CodeIndex: Sendable {
    /// Path from the package's root → the symbols in that file.
    let files: [String: [Occurrence]]

    init(files: [String: [Occurrence]]) {
        self.files = files
    }

    /// Reads the index of the build that this test belongs to.
    ///
    /// - Throws: `IndexError` where it is not that of the sources as they are.
    static func ofBuild() throws -> CodeIndex {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(filePath: program).deletingLastPathComponent()
        let store = try IndexStore(path: folder.appending(path: "index/store").path())
        let units = newest(store.units)
        let paths = try Source.paths(under: "Sources", suffix: ".swift")
        return CodeIndex(
            files: try Dictionary(
                uniqueKeysWithValues: paths.map { path in
                    let file = Source.root.appending(path: path).path()
                    guard let unit = units[file], try unit.nanoseconds >= changed(file) else {
                        throw IndexError.outdated(path: path)
                    }
                    return (path, store.occurrences(in: unit.record))
                }
            )
        )
    }

    /// The last compilation of each file: a file is compiled again into another folder or program.
    static func newest(_ units: [IndexStore.Unit]) -> [String: IndexStore.Unit] {
        Dictionary(units.map { ($0.file, $0) }) { $0.nanoseconds < $1.nanoseconds ? $1 : $0 }
    }

    private static func changed(_ file: String) throws -> Int {
        let time = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate]
        return Int(((time as? Date)?.timeIntervalSince1970 ?? 0) * 1_000_000_000)
    }

    /// The uses between the folders of a target.
    func graph(of target: String) -> FolderGraph {
        let start = "Sources/\(target)/"
        let own = files.filter { $0.key.hasPrefix(start) }
        let places = declarations(in: own)
        var graph = FolderGraph(folders: own.keys.map { Self.folder(of: $0) })
        for (path, occurrences) in own {
            for occurrence in occurrences where occurrence.isReference {
                guard let declared = places[occurrence.usr] else { continue }
                graph.insert(
                    FolderGraph.Edge(Self.folder(of: path), Self.folder(of: declared)),
                    FolderGraph.Use(path: path, line: occurrence.line, symbol: occurrence.name)
                )
            }
        }
        return graph
    }

    private func declarations(in files: [String: [Occurrence]]) -> [String: String] {
        files.reduce(into: [:]) { places, file in
            for occurrence in file.value where occurrence.isDeclaration {
                places[occurrence.usr] = file.key
            }
        }
    }

    /// `Replica/Rows` of `Sources/SyncCore/Replica/Rows/Row.swift`.
    private static func folder(of path: String) -> String {
        path.split(separator: "/").dropFirst(2).dropLast().joined(separator: "/")
    }

    /// Name of a type → how many methods it and its extensions have, of the type that has most.
    ///
    /// Initialisers and accessors are no methods, operators and static methods are.
    var methodCounts: [String: Int] {
        let occurrences = files.values.joined()
        var extended: [String: Occurrence] = [:]
        for occurrence in occurrences {
            guard let relation = occurrence.relation, relation.roles.contains(.extendedBy) else {
                continue
            }
            extended[relation.usr] = occurrence
        }
        var counts: [String: (name: String, count: Int)] = [:]
        for method in occurrences where method.isMethod {
            guard let parent = method.relation else { continue }
            let type = extended[parent.usr]
            let count = counts[type?.usr ?? parent.usr]?.count ?? 0
            counts[type?.usr ?? parent.usr] = (type?.name ?? parent.name, count + 1)
        }
        return Dictionary(counts.values.map { $0 }, uniquingKeysWith: max)
    }
}
