/// An error that describes itself for the person who runs a program.
package protocol DescribedError: Error {
    var exitCode: ExitCode { get }
    /// The message, and the hint, if there is one.
    var words: (message: String, hint: String?) { get }
}

extension DescribedError {
    package var exitCode: ExitCode { .failure }

    package var userError: UserError {
        let (message, hint) = words
        return UserError(exitCode, message, hint: hint)
    }
}

/// An error message for the person who runs a program.
///
/// The message says what failed, with the value, in lower case without a full stop. The hint says
/// what to do next.
package struct UserError: Error, Equatable {
    package var code = ExitCode.failure
    package var message: String
    package var hint: String?

    package init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Returns the error with words before its message, such as what could not be done.
    package func prefixed(with words: String) -> UserError {
        UserError(code, "\(words): \(message)", hint: hint)
    }

    package static func failure(_ message: String, hint: String? = nil) -> UserError {
        UserError(.failure, message, hint: hint)
    }

    package static func usage(_ message: String, hint: String? = nil) -> UserError {
        UserError(.usage, message, hint: hint)
    }

    package static func notFound(_ message: String, hint: String? = nil) -> UserError {
        UserError(.notFound, message, hint: hint)
    }

    package static func attention(_ message: String, hint: String? = nil) -> UserError {
        UserError(.attention, message, hint: hint)
    }

    package static func network(_ message: String, hint: String? = nil) -> UserError {
        UserError(.network, message, hint: hint)
    }

    package static func authentication(_ message: String, hint: String? = nil) -> UserError {
        UserError(.authentication, message, hint: hint)
    }
}
