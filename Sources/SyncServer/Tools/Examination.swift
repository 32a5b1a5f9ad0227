/// One thing that a doctor looked at.
struct Examination: Equatable, Sendable, Encodable {
    /// What was looked at, in one word.
    let name: String
    let state: State
    /// What was found.
    let text: String
    /// What to do about it.
    let remedy: String?

    /// How it is.
    enum State: String, Encodable, Sendable {
        case ok
        /// It works, and may not for long.
        case warning
        /// It does not work, or something is lost.
        case trouble
        /// It was wrong and was mended just now.
        case mended
    }

    static func ok(_ name: String, _ text: String) -> Examination {
        Examination(name: name, state: .ok, text: text, remedy: nil)
    }

    static func warning(_ name: String, _ text: String, _ remedy: String?) -> Examination {
        Examination(name: name, state: .warning, text: text, remedy: remedy)
    }

    static func trouble(_ name: String, _ text: String, _ remedy: String?) -> Examination {
        Examination(name: name, state: .trouble, text: text, remedy: remedy)
    }

    static func mended(_ name: String, _ text: String) -> Examination {
        Examination(name: name, state: .mended, text: text, remedy: nil)
    }
}

extension Examination: CustomStringConvertible {
    /// One line, and under it what to do.
    var description: String {
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(width - text.count, 0))
        }
        let line = "\(padded(state.rawValue, 8)) \(padded(name, 12)) \(text)"
        return remedy.map { "\(line)\n\(padded("", 22))\($0)" } ?? line
    }
}

/// All that a doctor found, as `--json` prints it.
struct Diagnosis: Encodable {
    let checks: [Examination]
    let isWell: Bool

    init(_ checks: [Examination]) {
        self.checks = checks
        isWell = !checks.contains { $0.state == .trouble }
    }
}
