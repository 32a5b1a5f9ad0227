internal import ProgramKit

/// The results of all checks of `wake-server doctor`.
struct Diagnosis {
    let checks: [Check]
    let isWell: Bool

    init(_ checks: [Check]) {
        self.checks = checks
        isWell = !checks.contains { $0.state == .trouble }
    }

    var json: JSON {
        .object([("checks", .array(checks.map(Self.json))), ("isWell", .bool(isWell))])
    }

    private static func json(of check: Check) -> JSON {
        let remedy = check.advice.map { [("remedy", JSON.text($0))] } ?? []
        return .object(
            [("name", .text(check.name))] + remedy + [
                ("state", .text(check.state.rawValue)), ("text", .text(check.finding)),
            ]
        )
    }

    /// One line per check, with the advice on the next line.
    var text: String { checks.map(Self.text).joined() }

    private static func text(of check: Check) -> String {
        let line =
            check.state.rawValue.padded(to: 8) + " "
            + check.name.padded(to: 12) + " "
            + check.finding
        let advice = check.advice.map { "\n" + "".padded(to: 22) + $0 } ?? ""
        return line + advice + "\n"
    }
}

extension Check {
    static func trouble(_ name: String, _ error: any Error) -> Check {
        let userError = UserError(describing: error)
        return .trouble(name, userError.message, userError.hint)
    }
}
