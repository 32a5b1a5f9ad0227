/// What one look at the data, the server or the machine found.
package struct Check: Sendable, Equatable {
    /// How grave it is.
    package enum State: String, Sendable {
        case ok
        /// Nothing is lost and nothing is wrong yet.
        case warning
        /// Something is wrong, or lost.
        case trouble
        /// Something was wrong and was mended just now.
        case mended
    }

    /// What was looked at, in a word or two.
    package let name: String
    package let state: State
    /// What was found.
    package let finding: String
    /// What the person can do about it.
    package let advice: String?

    /// All is well.
    package static func ok(_ name: String, _ finding: String) -> Check {
        Check(name: name, state: .ok, finding: finding, advice: nil)
    }

    /// Something to know.
    package static func warning(_ name: String, _ finding: String, _ advice: String? = nil) -> Check
    {
        Check(name: name, state: .warning, finding: finding, advice: advice)
    }

    /// Something to do.
    package static func trouble(_ name: String, _ finding: String, _ advice: String? = nil) -> Check
    {
        Check(name: name, state: .trouble, finding: finding, advice: advice)
    }

    /// Something that was mended.
    package static func mended(_ name: String, _ finding: String) -> Check {
        Check(name: name, state: .mended, finding: finding, advice: nil)
    }

    package var json: JSON {
        .object([
            ("check", .text(name)), ("state", .text(state.rawValue)), ("finding", .text(finding)),
            ("advice", .text(advice)),
        ])
    }
}

extension Output {
    /// Sends checks, a line each.
    package func checks(_ checks: [Check]) {
        let width = checks.map(\.name.count).max() ?? 0
        for check in checks {
            let state = styled(check.state.rawValue.padded(to: 7), check.state.style)
            let advice = check.advice.map { "; \($0)" } ?? ""
            let text = (check.finding + advice).withoutControls
            line("\(state)  \(check.name.padded(to: width))  \(text)")
        }
    }
}

extension Check.State {
    fileprivate var style: Style {
        switch self {
        case .ok, .mended: .green
        case .warning: .yellow
        case .trouble: .red
        }
    }
}
