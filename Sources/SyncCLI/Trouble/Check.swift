/// What one look at the replica, the server or the machine found.
struct Check: Sendable, Equatable {
    /// How grave it is.
    enum State: String, Sendable {
        case ok
        /// Nothing is lost and nothing is wrong yet.
        case warning
        /// Something is wrong.
        case trouble
    }

    /// What was looked at, in a word or two.
    let name: String
    let state: State
    /// What was found.
    let finding: String
    /// What the person can do about it.
    let advice: String?

    /// All is well.
    static func ok(_ name: String, _ finding: String) -> Check {
        Check(name: name, state: .ok, finding: finding, advice: nil)
    }

    /// Something to know.
    static func warning(_ name: String, _ finding: String, _ advice: String? = nil) -> Check {
        Check(name: name, state: .warning, finding: finding, advice: advice)
    }

    /// Something to do.
    static func trouble(_ name: String, _ finding: String, _ advice: String? = nil) -> Check {
        Check(name: name, state: .trouble, finding: finding, advice: advice)
    }

    var json: JSON {
        .object([
            ("check", .text(name)), ("state", .text(state.rawValue)), ("finding", .text(finding)),
            ("advice", .text(advice)),
        ])
    }
}

extension Output {
    /// Sends checks, a line each.
    func checks(_ checks: [Check]) {
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
        case .ok: .green
        case .warning: .yellow
        case .trouble: .red
        }
    }
}
