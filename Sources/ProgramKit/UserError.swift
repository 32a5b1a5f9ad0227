/// An error that describes itself for the person who runs a program.
package protocol DescribedError: Error {
    var userError: UserError { get }
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
}
