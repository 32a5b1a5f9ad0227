/// The output streams of a command.
///
/// Results go to standard output, in full even with `--quiet`. Notes, progress and errors go to
/// standard error. Callers pass untrusted text through ``Swift/String/withoutControls``;
/// ``table(_:)``, ``note(_:)``, ``report(_:)``, `fields(_:)` and `warn(_:)` do so themselves.
package struct Output: Sendable {
    /// The program's name, which starts each message.
    package let program: String

    package var write: @Sendable ([UInt8]) -> Void

    package var writeError: @Sendable ([UInt8]) -> Void

    package var isTerminal = false

    /// Whether standard error is a terminal, where progress is drawn.
    package var isErrorTerminal = false

    /// The width for tables and drawings from `COLUMNS` or the terminal, or nil if unknown.
    package var columns: Int?

    /// Whether standard output may receive colour escape sequences.
    package var isColoured = false

    package var isJSON = false

    package var isQuiet = false

    package init(
        of program: String,
        write: @escaping @Sendable ([UInt8]) -> Void,
        writeError: @escaping @Sendable ([UInt8]) -> Void,
        isTerminal: Bool = false,
        isErrorTerminal: Bool = false,
        columns: Int? = nil,
        isColoured: Bool = false
    ) {
        self.program = program
        self.write = write
        self.writeError = writeError
        self.isTerminal = isTerminal
        self.isErrorTerminal = isErrorTerminal
        self.columns = columns
        self.isColoured = isColoured
    }

    /// Returns the output adjusted to `--json` and `--quiet`.
    package func following(_ arguments: Arguments) -> Output {
        var output = self
        output.isJSON = arguments.flag("--json")
        output.isQuiet = arguments.flag("--quiet")
        return output
    }

    /// Sends text unchanged.
    package func text(_ text: String) { write(Array(text.utf8)) }

    package func line(_ line: String = "") {
        text(line + "\n")
    }

    /// Sends an indented JSON document.
    package func json(_ value: JSON) {
        text(value.indented + "\n")
    }

    /// Sends a JSON document in one line, for JSON streams.
    package func jsonLine(_ value: JSON) {
        text(value.compact + "\n")
    }

    /// Sends a command's single result: JSON with `--json`, otherwise `human`, with its newlines.
    package func result(_ value: @autoclosure () -> JSON, human: () -> String) {
        if isJSON { json(value()) } else { text(human()) }
    }

    /// Sends a command's single result: JSON with `--json`, otherwise a table.
    package func result(_ value: @autoclosure () -> JSON, table: @autoclosure () -> Table) {
        if isJSON { json(value()) } else { self.table(table()) }
    }

    /// Sends a list: JSON with `--json`, the note `none` if it is empty, otherwise what `show` sends.
    package func list<Item>(
        _ name: String,
        _ items: [Item],
        none: String,
        json member: (Item) -> JSON,
        show: () async throws -> Void
    ) async rethrows {
        if isJSON {
            json(.object([(name, .array(items.map(member)))]))
        } else if items.isEmpty {
            note(none)
        } else {
            try await show()
        }
    }

    /// Sends a table, fitted to ``columns`` if that is known.
    package func table(_ table: Table) {
        text(table.text(columns: columns, isColoured: isColoured))
    }

    /// Sends labels and values in two columns, without control characters in the values.
    ///
    /// Leaves out labels without a value.
    package func fields(_ fields: [(label: String, value: String?)]) {
        let fields = fields.compactMap { label, value in value.map { (label: label, value: $0) } }
        let width = fields.map(\.label.displayWidth).max() ?? 0
        for (label, value) in fields {
            line("\(styled(label.padded(to: width), .dim))  \(value.withoutControls)")
        }
    }

    /// Sends a note to standard error, unless `--quiet` was given.
    package func note(_ text: String) {
        if !isQuiet { writeError(Array((text.withoutControls + "\n").utf8)) }
    }

    /// Replaces the drawn line; does nothing without a terminal or with `--quiet`.
    package func draw(_ line: String) {
        guard isErrorTerminal, !isQuiet else { return }
        writeError(Array("\r\u{1B}[K\(line.shortened(to: (columns ?? 80) - 1))".utf8))
    }

    package func clearDrawnLine() {
        writeError(Array("\r\u{1B}[K".utf8))
    }

    /// Suggests a next step, unless `--quiet` was given.
    package func hint(_ text: String) {
        note("\(program): hint: \(text)")
    }

    /// Sends a warning, even with `--quiet`.
    package func warn(_ text: String) {
        writeError(Array("\(program): warning: \(text.withoutControls)\n".utf8))
    }

    /// Reports an error with its hint.
    package func report(_ error: UserError) {
        let start = isErrorTerminal && isColoured ? Style.red.apply(to: "error:") : "error:"
        var text = "\(program): \(start) \(error.message.withoutControls)\n"
        if let hint = error.hint { text += "\(program): hint: \(hint.withoutControls)\n" }
        writeError(Array(text.utf8))
    }

    /// Returns the text in a style, or unchanged if colours are off.
    package func styled(_ text: String, _ style: Style) -> String {
        isColoured ? style.apply(to: text) : text
    }
}
