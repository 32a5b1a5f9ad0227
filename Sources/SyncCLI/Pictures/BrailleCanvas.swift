/// A grid of braille characters, eight dots each, with letters drawn over them.
struct BrailleCanvas: Sendable {
    /// A dot's position, counted from the top left.
    struct Dot: Hashable, Sendable {
        let column: Int
        let row: Int
    }

    /// The width in characters.
    let columns: Int
    /// The height in characters.
    let rows: Int
    /// The dots of each character in row order; a bit set of the offset from U+2800.
    private var patterns: [UInt8]
    private var letters: [Int: Character] = [:]

    init(columns: Int, rows: Int) {
        (self.columns, self.rows) = (max(columns, 0), max(rows, 0))
        patterns = Array(repeating: 0, count: self.columns * self.rows)
    }

    /// The width in dots, two per character.
    var dotColumns: Int { columns * 2 }
    /// The height in dots, four per character.
    var dotRows: Int { rows * 4 }

    /// Sets a dot; dots outside the canvas are ignored.
    mutating func set(_ dot: Dot) {
        guard let index = index(of: dot) else { return }
        patterns[index] |= Self.bits[dot.row % 4][dot.column % 2]
    }

    mutating func draw(from start: Dot, to end: Dot) {
        let steps = max(abs(end.column - start.column), abs(end.row - start.row), 1)
        for step in 0...steps {
            let part = Double(step) / Double(steps)
            let columns = Int((Double(end.column - start.column) * part).rounded())
            let rows = Int((Double(end.row - start.row) * part).rounded())
            set(Dot(column: start.column + columns, row: start.row + rows))
        }
    }

    mutating func draw(_ line: some Sequence<Dot>) {
        var last: Dot?
        for dot in line where dot != last {
            draw(from: last ?? dot, to: dot)
            last = dot
        }
    }

    /// Draws a letter over the character that contains the dot.
    mutating func mark(_ dot: Dot, _ letter: Character) {
        guard let index = index(of: dot) else { return }
        letters[index] = letter
    }

    /// The rows as text, without trailing spaces.
    var lines: [String] {
        (0..<rows).map { row in
            let line = (0..<columns).map { character(row * columns + $0) }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private func index(of dot: Dot) -> Int? {
        guard (0..<dotColumns).contains(dot.column), (0..<dotRows).contains(dot.row) else {
            return nil
        }
        return dot.row / 4 * columns + dot.column / 2
    }

    private func character(_ index: Int) -> Character {
        if let letter = letters[index] { return letter }
        guard patterns[index] > 0, let scalar = Unicode.Scalar(0x2800 + UInt32(patterns[index]))
        else { return " " }
        return Character(scalar)
    }

    /// The bits of braille dots 1-3 and 7 on the left, 4-6 and 8 on the right.
    private static let bits: [[UInt8]] = [
        [0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80],
    ]
}
