/// An error that tells itself what the person who called a program should read.
package protocol DescribedError: Error {
    /// The error in words.
    var userError: UserError { get }
}

/// An error in words, for the person who called a program.
///
/// The message says what was attempted, with the value; lower case, no full stop. The hint says
/// what to do next.
package struct UserError: Error, Equatable {
    package var code = ExitCode.failure
    package var message: String
    package var hint: String?

    /// A failure that a command found itself.
    package init(_ code: ExitCode, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}
