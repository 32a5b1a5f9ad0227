/// The result of one diagnostic check of the data, the server or the machine.
package struct Check: Sendable, Equatable {
    package enum State: String, Sendable {
        case ok
        /// Nothing is lost or wrong yet.
        case warning
        /// Something is wrong or lost.
        case trouble
        /// Something was wrong and has just been repaired.
        case repaired
    }

    /// The subject of the check, in a word or two.
    package let name: String
    package let state: State
    package let finding: String
    /// What the person can do next.
    package let advice: String?

    package static func ok(_ name: String, _ finding: String) -> Check {
        Check(name: name, state: .ok, finding: finding, advice: nil)
    }

    package static func warning(_ name: String, _ finding: String, _ advice: String? = nil) -> Check
    {
        Check(name: name, state: .warning, finding: finding, advice: advice)
    }

    package static func trouble(_ name: String, _ finding: String, _ advice: String? = nil) -> Check
    {
        Check(name: name, state: .trouble, finding: finding, advice: advice)
    }

    package static func repaired(_ name: String, _ finding: String) -> Check {
        Check(name: name, state: .repaired, finding: finding, advice: nil)
    }

    package var json: JSON {
        .object([
            ("check", .text(name)), ("state", .text(state.rawValue)), ("finding", .text(finding)),
            ("advice", .text(advice)),
        ])
    }
}

extension Output {
    /// Sends the checks, one a line.
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
        case .ok, .repaired: .green
        case .warning: .yellow
        case .trouble: .red
        }
    }
}
