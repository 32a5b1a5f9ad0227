/// A place that breaks a rule, and what to do about it.
struct Finding: Hashable, Sendable, CustomStringConvertible {
    let path: String
    let line: Int
    let remedy: String

    var description: String { "\(path):\(line): \(remedy)" }
}

/// What neither the compiler nor swift-format checks in one file.
enum Rules {
    static let all: [@Sendable (Source) -> [Finding]] = [
        lengths, marks, bans, unfinished, doors, imports, sql, tags,
    ]

    /// The findings of all rules.
    static func findings(in source: Source) -> [Finding] {
        all.flatMap { $0(source) }
    }

    /// A file can be read in one sitting, a function be seen at once.
    @Sendable static func lengths(_ source: Source) -> [Finding] {
        let longest =
            source.path.hasPrefix("Sources/") ? House.longestFunction : House.longestTestFunction
        var findings = source.functions.filter { $0.length > longest }.map {
            source.finding($0.line, "split this function of \($0.length) lines")
        }
        if source.lines.count > House.longestFile {
            findings.append(source.finding(House.longestFile, "split this file by topic"))
        }
        return findings
    }

    /// A short file needs no headings.
    @Sendable static func marks(_ source: Source) -> [Finding] {
        guard source.lines.count < House.shortestMarkedFile else { return [] }
        return source.lines.indices.filter {
            source.lines[$0].drop { $0 == " " }.hasPrefix("// MARK")
        }.map { source.finding($0 + 1, "no headings in a file this short") }
    }

    @Sendable static func bans(_ source: Source) -> [Finding] {
        House.bans.flatMap { ban -> [Finding] in
            let applies = ban.paths.isEmpty || ban.paths.contains { source.path.hasPrefix($0) }
            guard applies, !ban.except.contains(source.path) else { return [] }
            let isExplained = ban.explained.contains(source.path)
            return source.code.indices.filter { index in
                source.code[index].containsAsWord(ban.text)
                    && !(isExplained && source.isComment(at: index + 1))
            }.map {
                source.finding($0 + 1, "'\(ban.text)': \(ban.remedy)")
            }
        }
    }

    @Sendable static func unfinished(_ source: Source) -> [Finding] {
        House.unfinished.flatMap { word in
            source.lines(containing: word).map { source.finding($0, "finish it or file an issue") }
        }
    }

    /// A C library is reached through one door.
    @Sendable static func doors(_ source: Source) -> [Finding] {
        source.imports.compactMap { line, module in
            guard let door = House.doors[module], !source.path.hasPrefix(door),
                source.path.hasPrefix("Sources/")
            else { return nil }
            return source.finding(line, "\(module) is imported in \(door) only")
        }
    }

    @Sendable static func imports(_ source: Source) -> [Finding] {
        source.imports.flatMap { line, module in
            House.forbiddenImports.filter {
                source.path.hasPrefix($0.key) && $0.value.contains(module)
            }.map { source.finding(line, "no \(module) under \($0.key)") }
        }
    }

    /// Nothing is interpolated into the text of `execute`; all other functions bind the values.
    ///
    /// Tests may do so, to damage a database.
    @Sendable static func sql(_ source: Source) -> [Finding] {
        guard !source.path.hasPrefix("Tests/") else { return [] }
        let statement =
            /^\s*(select\s|insert\s+(or|into)\s|replace\s+into\s|update\s[^"]*\sset\s|delete\s+from\s|(create|drop|alter)\s+(\w+\s+)?(table|index|view|trigger)\s|with\s\w+\s(\([^)]*\)\s)?as\s)/
            .ignoresCase()
        return source.literals.filter {
            let place = source.code[max(0, $0.line - 2)..<$0.line]
            return $0.text.contains("\\(") && $0.text.firstMatch(of: statement) != nil
                && place.contains { $0.contains("execute(") }
        }.map { source.finding($0.line, "bind the value instead of pasting it into SQL") }
    }

    /// Secrets are compared in constant time.
    @Sendable static func tags(_ source: Source) -> [Finding] {
        guard source.path.hasPrefix("Sources/"), House.tagFolders.contains(source.folder) else {
            return []
        }
        let name = "[A-Za-z0-9_.]*([tT]ag|[mM]ac|MAC|[hH]mac|[sS]ignature|[sS]ecret)"
        let patterns = [
            "\\b\(name)\\s*[!=]=(?!\\s*(nil\\b|[0-9.]))", "[!=]=\\s*\(name)\\b(?!\\()",
        ].compactMap { try? Regex($0) }
        return source.code.indices.filter { index in
            patterns.contains { source.code[index].firstMatch(of: $0) != nil }
        }.map { source.finding($0 + 1, "compare tags and secrets with MACKey.equal") }
    }
}

extension Source {
    func finding(_ line: Int, _ remedy: String) -> Finding {
        Finding(path: path, line: line, remedy: remedy)
    }

    /// Whether nothing but a comment stands in the line at an index.
    func isComment(at index: Int) -> Bool {
        index < lines.count && lines[index].drop { $0 == " " }.hasPrefix("//")
    }

    /// Numbers of the lines, comments included, that contain a text.
    func lines(containing text: String) -> [Int] {
        lines.indices.filter { lines[$0].contains(text) }.map { $0 + 1 }
    }
}

extension String {
    /// Whether the text appears with no letter, digit or underscore right before it.
    func containsAsWord(_ text: String) -> Bool {
        ranges(of: text).contains { range in
            guard range.lowerBound > startIndex else { return true }
            let before = self[index(before: range.lowerBound)]
            return !(before.isLetter || before.isNumber || before == "_")
        }
    }
}
