/// The two streams of a command, and what may be sent to them.
///
/// Results go to standard output, in full, also with `--quiet`. Notes, progress and errors go to
/// standard error. Text from outside passes ``Swift/String/withoutControls`` before it gets here;
/// ``table(_:)``, ``note(_:)`` and ``complain(_:)`` see to that themselves.
struct Output: Sendable {
    /// Sends bytes to standard output.
    var write: @Sendable ([UInt8]) -> Void

    /// Sends bytes to standard error.
    var writeError: @Sendable ([UInt8]) -> Void

    /// Whether standard output is a terminal.
    var isTerminal = false

    /// Whether standard error is a terminal: progress is drawn there.
    var isErrorTerminal = false

    /// The width that drawings and tables keep to: `COLUMNS`, or the terminal's; nil in a pipe.
    var columns: Int?

    /// Whether escape sequences for colours may be sent to standard output.
    var isColoured = false

    /// Whether `--json` was given.
    var isJSON = false

    /// Whether `--quiet` was given.
    var isQuiet = false

    /// Sends text as it is.
    func text(_ text: String) {
        write(Array(text.utf8))
    }

    /// Sends text and a newline.
    func line(_ line: String = "") {
        text(line + "\n")
    }

    /// Sends a JSON document, indented.
    func json(_ value: JSON) {
        text(value.indented + "\n")
    }

    /// Sends a JSON document in one line, for streams of them.
    func jsonLine(_ value: JSON) {
        text(value.compact + "\n")
    }

    /// Sends the one answer of a command: JSON with `--json`, else `human`, which ends its lines.
    func result(_ value: @autoclosure () -> JSON, human: () -> String) {
        if isJSON { json(value()) } else { text(human()) }
    }

    /// Sends a table fitted to the width, or in full where there is none.
    func table(_ table: Table) {
        text(table.text(columns: columns, isColoured: isColoured))
    }

    /// Sends labels and what belongs to them in two columns, free of control characters.
    func fields(_ fields: [(label: String, value: String)]) {
        let width = fields.map(\.label.displayWidth).max() ?? 0
        for (label, value) in fields {
            line("\(styled(label.padded(to: width), .dim))  \(value.withoutControls)")
        }
    }

    /// Tells a person what is going on; nothing with `--quiet`.
    func note(_ text: String) {
        if !isQuiet { writeError(Array((text.withoutControls + "\n").utf8)) }
    }

    /// Tells a person of a danger, also with `--quiet`.
    func warn(_ text: String) {
        writeError(Array("wake: warning: \(text.withoutControls)\n".utf8))
    }

    /// Reports why something failed, and how to go on.
    func complain(_ complaint: Complaint) {
        let start = isErrorTerminal && isColoured ? Style.red.apply(to: "error:") : "error:"
        var text = "wake: \(start) \(complaint.message.withoutControls)\n"
        if let hint = complaint.hint { text += "wake: hint: \(hint.withoutControls)\n" }
        writeError(Array(text.utf8))
    }

    /// The text in a style, where colours may be sent.
    func styled(_ text: String, _ style: Style) -> String {
        isColoured ? style.apply(to: text) : text
    }
}

/// How a terminal shows text that matters.
enum Style: Int, Sendable {
    case bold = 1
    case dim = 2
    case red = 31
    case green = 32
    case yellow = 33

    /// The text between the escape sequences of the style.
    func apply(to text: String) -> String {
        "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
    }
}
