/// Separates code from comments and literals, so that a rule does not trip over prose.
struct Lexer {
    /// The text with the characters of comments and literals as spaces, its lines intact.
    private(set) var code = ""
    private(set) var literals: [Source.Literal] = []

    private let text: [Character]
    private var next = 0
    private var line = 1

    init(_ text: String) {
        self.text = Array(text)
    }

    /// Reads the whole text.
    mutating func run() {
        while next < text.count {
            if matches("//") {
                while next < text.count, text[next] != "\n" { blank() }
            } else if matches("/*") {
                blockComment()
            } else if let hashes = hashesBeforeQuote() {
                literal(hashes: hashes)
            } else {
                keep()
            }
        }
        code = code.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
            .joined(separator: "\n")
    }

    private func matches(_ word: String) -> Bool {
        text[next...].starts(with: word)
    }

    private mutating func keep() {
        code.append(text[next])
        advance()
    }

    private mutating func blank(_ count: Int = 1) {
        for _ in 0..<min(count, text.count - next) {
            code.append(text[next] == "\n" ? "\n" : " ")
            advance()
        }
    }

    private mutating func advance() {
        if text[next] == "\n" { line += 1 }
        next += 1
    }

    private mutating func blockComment() {
        var depth = 0
        repeat {
            if matches("/*") {
                depth += 1
                blank(2)
            } else if matches("*/") {
                depth -= 1
                blank(2)
            } else {
                blank()
            }
        } while depth > 0 && next < text.count
    }

    /// How many `#` stand before a quote here; nil where no literal starts.
    private func hashesBeforeQuote() -> Int? {
        let hashes = text[next...].prefix { $0 == "#" }.count
        return next + hashes < text.count && text[next + hashes] == "\"" ? hashes : nil
    }

    private mutating func literal(hashes: Int) {
        let start = line
        let raw = String(repeating: "#", count: hashes)
        blank(hashes)
        let quote = matches("\"\"\"") ? "\"\"\"" : "\""
        blank(quote.count)
        let first = next
        while next < text.count, !matches(quote + raw) {
            if matches("\\" + raw + "(") {
                interpolation(hashes: hashes)
            } else {
                blank(matches("\\" + raw) ? 2 + hashes : 1)
            }
        }
        literals.append(Source.Literal(line: start, text: String(text[first..<next])))
        blank(quote.count + hashes)
    }

    /// Keeps the code between the parentheses, where there may be literals again.
    private mutating func interpolation(hashes: Int) {
        blank(1 + hashes)
        var depth = 0
        repeat {
            if let hashes = hashesBeforeQuote() {
                literal(hashes: hashes)
                continue
            }
            depth += text[next] == "(" ? 1 : text[next] == ")" ? -1 : 0
            keep()
        } while depth > 0 && next < text.count
    }
}
