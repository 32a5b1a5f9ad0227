/// Which files name a kind of data, and whether each kind is registered.
struct Declarations: Sendable {
    private let sources: [Source]

    private static var declaration: Regex<(Substring, Substring)> {
        /static let (\w+)(?:: \w+)? = CollectionSchema\(/
    }

    init(_ sources: [Source]) {
        self.sources = sources.filter { $0.path.hasPrefix("Sources/") }
    }

    /// Declarations that the registry lacks.
    var unregistered: [Finding] {
        let registry = sources.filter { $0.path == House.registry }.flatMap(\.code)
        return sources.flatMap { source in
            source.code.indices.compactMap { index in
                guard let match = source.code[index].firstMatch(of: Self.declaration) else {
                    return nil
                }
                let name = ".\(match.output.1),"
                let isThere = registry.contains { $0.drop { $0 == " " } == name }
                return isThere
                    ? nil : source.finding(index + 1, "add '\(name)' to \(House.registry)")
            }
        }
    }

    /// Places in generic code that name a kind of data or its fields.
    var namedInGenericCode: [Finding] {
        let generic = sources.filter { source in
            House.genericCode.contains { source.path.hasPrefix($0) }
        }
        let declaring = sources.filter { source in
            source.code.contains { $0.contains("= CollectionSchema(") }
        }
        let types = declaring.reduce(into: Set(House.namesOfKinds)) { $0.formUnion($1.declared) }
        let names = types.subtracting(["Field"]).map { "\($0)." }
        let schema = /\bCollectionSchema\.[a-z]\w*/
        let statics = declaring.flatMap { source in
            source.code.compactMap {
                $0.firstMatch(of: Self.declaration).map { "in: .\($0.output.1)" }
            }
        }
        let key = /\b(?:Key|RowName)\((?:collection: )?"/
        return generic.flatMap { source in
            source.code.indices.compactMap { index in
                let line = source.code[index]
                let isNamed =
                    (names + statics).contains { line.containsAsWord($0) } || line.contains(schema)
                    || source.lines[index].contains(key)
                return isNamed ? source.finding(index + 1, "ask the registry instead") : nil
            }
        }
    }
}
