/// Which folder names the types of which other.
struct Dependencies: Sendable {
    private let sources: [Source]

    init(_ sources: [Source]) {
        self.sources = sources
    }

    /// Places in SyncCore that name a type of a folder that lies above or beside theirs.
    var betweenFolders: [Finding] {
        let core = sources.filter { $0.target == "SyncCore" }
        return House.unknownFolders.flatMap { folder, unknown -> [Finding] in
            let here = core.filter { $0.folder == folder }
            return unknown.flatMap { other in
                let names = names(declaredIn: core.filter { $0.folder == other }, not: here)
                return Self.mentions(of: names, in: here) {
                    "\(folder) may not know \(other): move \($0) or this"
                }
            }
        }
    }

    /// Places in SyncCore that name a type of a program that is built upon it.
    var onPrograms: [Finding] {
        let core = sources.filter { $0.target == "SyncCore" }
        let programs = sources.filter { ["SyncServer", "SyncCLI"].contains($0.target) }
        let names = names(declaredIn: programs, not: core)
        return Self.mentions(of: names, in: core) { "SyncCore may not know \($0) of a program" }
    }

    private func names(declaredIn other: [Source], not here: [Source]) -> Set<String> {
        let own = here.reduce(into: Set<String>()) { $0.formUnion($1.declaredAnywhere) }
        return other.reduce(into: Set<String>()) { $0.formUnion($1.declared) }
            .subtracting(own).subtracting(House.commonNames)
    }

    private static func mentions(
        of names: Set<String>,
        in sources: [Source],
        remedy: (String) -> String
    ) -> [Finding] {
        // Names of types that do not follow a dot.
        let word = /(^|[^\w.])([A-Z]\w*)/
        return sources.flatMap { source in
            source.code.indices.flatMap { index in
                let words = source.code[index].matches(of: word).map { String($0.output.2) }
                return Set(words).intersection(names).sorted().map {
                    source.finding(index + 1, remedy($0))
                }
            }
        }
    }
}
