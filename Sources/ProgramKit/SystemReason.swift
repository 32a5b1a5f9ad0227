internal import Glibc

/// Descriptions of failed system calls.
package enum SystemReason {
    /// Returns the system's message for an `errno`, in lower case like all our messages.
    package static func text(_ code: Int32) -> String {
        let text = unsafe String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
