internal import ProgramKit

/// A command line that cannot be used.
enum ConfigurationError: DescribedError, Equatable {
    /// A name that is empty or blank, has more than 200 bytes or contains control characters.
    case badName(Int)
    case notTogether(String, String)
    /// Plain HTTP at an address that other machines can reach, without a proxy.
    case plainElsewhere(String)
    /// An operators' listener that other machines can reach.
    case healthElsewhere(String)
    /// One address for devices and operators.
    case sameAddress(String)
    case notAuthority(String)
    case notSpace(String)
    /// The id of a space that the store does not have.
    case unknownSpace(String)
    case badProxy(String)

    var exitCode: ExitCode {
        if case .unknownSpace = self { .notFound } else { .usage }
    }

    var words: (message: String, hint: String?) {
        let hint = "see 'wake-server --help'"
        return switch self {
        case .badName(let count):
            ("a name has 1 to 200 bytes and no line breaks; this one has \(count) bytes", hint)
        case .notTogether(let one, let other): ("\(one) and \(other) cannot be used together", hint)
        case .plainElsewhere(let address):
            (
                "plain HTTP is not allowed on \(address): other machines can reach it",
                "omit --plain to use TLS; behind a proxy that terminates TLS, use --proxy with the "
                    + "proxy's IP address"
            )
        case .healthElsewhere(let address):
            (
                "the health listener is not allowed on \(address): other machines can reach it",
                "use --health 127.0.0.1:PORT, with a proxy or tunnel for operators elsewhere"
            )
        case .sameAddress(let address):
            (
                "--listen and --health are both \(address)",
                "use another port for --health, or 'none'"
            )
        case .notAuthority(let text): ("'\(text)' is not host:port", hint)
        case .notSpace(let text):
            (
                "'\(text)' is not the id of a space",
                "give the full id, as 'wake-server spaces list' shows it"
            )
        case .unknownSpace(let text):
            ("the store has no space \(text)", "'wake-server spaces list' shows those that it has")
        case .badProxy(let text):
            (
                "'\(text)' is not an IP address: --proxy takes that of the one proxy that may connect",
                hint
            )
        }
    }
}
