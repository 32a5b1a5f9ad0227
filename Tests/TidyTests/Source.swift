import Foundation
import Testing

/// One file of source text.
struct Source: CustomTestStringConvertible, Sendable {
    /// From the package's root, `Sources/SyncCore/Clock/Stamp.swift`.
    let path: String

    /// As written.
    let lines: [String]

    /// The same lines with comments and the text of literals blanked out.
    let code: [String]

    /// The literals, each with the line on which it starts.
    let literals: [Literal]

    /// The text between quotes, interpolations included.
    struct Literal: Hashable, Sendable {
        let line: Int
        let text: String
    }

    var testDescription: String { path }

    /// Reads source text that need not be on disk.
    init(path: String, text: String) {
        var lexer = Lexer(text)
        lexer.run()
        self.path = path
        lines = Self.lines(of: text)
        code = Self.lines(of: lexer.code)
        literals = lexer.literals
    }

    private static func lines(of text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    /// `SyncCore` of `Sources/SyncCore/Clock/Stamp.swift`.
    var target: String { component(1) }

    /// `Clock` of `Sources/SyncCore/Clock/Stamp.swift`; empty for a file beside the folders.
    var folder: String { path.split(separator: "/").count > 3 ? component(2) : "" }

    private func component(_ index: Int) -> String {
        let parts = path.split(separator: "/")
        return index < parts.count ? String(parts[index]) : ""
    }

    /// The modules that the file imports, each with its line.
    var imports: [(line: Int, module: String)] {
        code.indices.compactMap { index in
            let words = code[index].split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
                !code[index].hasPrefix(" ")
            else { return nil }
            return (index + 1, words.last.map(String.init) ?? "")
        }
    }

    /// Line and length of each function: swift-format aligns `func` with its closing brace.
    var functions: [(line: Int, length: Int)] {
        // Hoisted: a regex literal is compiled each time it is evaluated.
        let start = /(?:^|[^.\w])(?:func |init[?]?[(<])/
        return code.indices.compactMap { line in
            guard code[line].contains("func ") || code[line].contains("init"),
                code[line].contains(start),
                let open = code[line...].firstIndex(where: { $0.hasSuffix("{") || $0.isEmpty }),
                code[open].hasSuffix("{")
            else { return nil }
            let closing = code[line].prefix { $0 == " " } + "}"
            guard let end = code[open...].firstIndex(where: { $0 == closing }) else { return nil }
            return (line + 1, end - line + 1)
        }
    }

    /// Names of types declared at the margin that other folders can see.
    var declared: Set<String> {
        names(
            /^(?!.*\b(?:private|fileprivate)\b)(?:\S+ )*(?:struct|class|enum|actor|protocol|typealias) ([A-Z]\w*)/
        )
    }

    private func names(_ pattern: some RegexComponent<(Substring, Substring)>) -> Set<String> {
        Set(code.flatMap { line in line.matches(of: pattern).map { String($0.output.1) } })
    }
}

extension Source {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The Swift files under a folder of the package, in order of path.
    static func all(under folder: String) throws -> [Source] {
        try paths(under: folder, suffix: ".swift").map { path in
            let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            return Source(path: path, text: text)
        }
    }

    /// Paths of the files whose name ends like this; none where there is no such folder.
    static func paths(under folder: String, suffix: String) throws -> [String] {
        let base = root.appending(path: folder)
        guard FileManager.default.fileExists(atPath: base.path()) else { return [] }
        return try FileManager.default.subpathsOfDirectory(atPath: base.path())
            .filter { $0.hasSuffix(suffix) && !$0.contains(".build/") && !$0.hasPrefix(".git/") }
            .map { folder.isEmpty || folder == "." ? $0 : folder + "/" + $0 }
            .sorted()
    }
}
