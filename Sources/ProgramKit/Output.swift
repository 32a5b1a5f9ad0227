/// The two streams of a command, and what may be sent to them.
///
/// Results go to standard output, in full, also with `--quiet`. Notes, progress and errors go to
/// standard error. Text from outside passes ``Swift/String/withoutControls`` before it gets here;
/// ``table(_:)``, ``note(_:)`` and ``report(_:)`` see to that themselves.
package struct Output: Sendable {
    /// The name that messages begin with.
    package let program: String

    /// Sends bytes to standard output.
    package var write: @Sendable ([UInt8]) -> Void

    /// Sends bytes to standard error.
    package var writeError: @Sendable ([UInt8]) -> Void

    /// Whether standard output is a terminal.
    package var isTerminal = false

    /// Whether standard error is a terminal: progress is drawn there.
    package var isErrorTerminal = false

    /// The width that drawings and tables keep to: `COLUMNS`, or the terminal's; nil in a pipe.
    package var columns: Int?

    /// Whether escape sequences for colours may be sent to standard output.
    package var isColoured = false

    /// Whether `--json` was given.
    package var isJSON = false

    /// Whether `--quiet` was given.
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

    /// Returns the output as the options of every command ask for it.
    package func following(_ arguments: Arguments) -> Output {
        var output = self
        output.isJSON = arguments.flag("--json")
        output.isQuiet = arguments.flag("--quiet")
        return output
    }

    /// Sends text as it is.
    package func text(_ text: String) {
        write(Array(text.utf8))
    }

    /// Sends text and a newline.
    package func line(_ line: String = "") {
        text(line + "\n")
    }

    /// Sends a JSON document, indented.
    package func json(_ value: JSON) {
        text(value.indented + "\n")
    }

    /// Sends a JSON document in one line, for streams of them.
    package func jsonLine(_ value: JSON) {
        text(value.compact + "\n")
    }

    /// Sends the one answer of a command: JSON with `--json`, else `human`, which ends its lines.
    package func result(_ value: @autoclosure () -> JSON, human: () -> String) {
        if isJSON { json(value()) } else { text(human()) }
    }

    /// Sends the one answer of a command: JSON with `--json`, else a table.
    package func result(_ value: @autoclosure () -> JSON, table: @autoclosure () -> Table) {
        if isJSON { json(value()) } else { self.table(table()) }
    }

    /// Sends a table fitted to the width, or in full where there is none.
    package func table(_ table: Table) {
        text(table.text(columns: columns, isColoured: isColoured))
    }

    /// Sends labels and what belongs to them in two columns, free of control characters.
    package func fields(_ fields: [(label: String, value: String)]) {
        let width = fields.map(\.label.displayWidth).max() ?? 0
        for (label, value) in fields {
            line("\(styled(label.padded(to: width), .dim))  \(value.withoutControls)")
        }
    }

    /// Tells a person what is going on; nothing with `--quiet`.
    package func note(_ text: String) {
        if !isQuiet { writeError(Array((text.withoutControls + "\n").utf8)) }
    }

    /// Draws a line over the one that was drawn before; on a terminal only, and not with `--quiet`.
    package func draw(_ line: String) {
        guard isErrorTerminal, !isQuiet else { return }
        writeError(Array("\r\u{1B}[K\(line.shortened(to: (columns ?? 80) - 1))".utf8))
    }

    /// Clears the line that was drawn.
    package func clearDrawnLine() {
        writeError(Array("\r\u{1B}[K".utf8))
    }

    /// Tells a person what to do next; nothing with `--quiet`.
    package func hint(_ text: String) {
        note("\(program): hint: \(text)")
    }

    /// Tells a person of a danger, also with `--quiet`.
    package func warn(_ text: String) {
        writeError(Array("\(program): warning: \(text.withoutControls)\n".utf8))
    }

    /// Reports why something failed, and how to go on.
    package func report(_ error: UserError) {
        let start = isErrorTerminal && isColoured ? Style.red.apply(to: "error:") : "error:"
        var text = "\(program): \(start) \(error.message.withoutControls)\n"
        if let hint = error.hint { text += "\(program): hint: \(hint.withoutControls)\n" }
        writeError(Array(text.utf8))
    }

    /// The text in a style, where colours may be sent.
    package func styled(_ text: String, _ style: Style) -> String {
        isColoured ? style.apply(to: text) : text
    }
}
