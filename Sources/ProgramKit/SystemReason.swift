internal import Glibc

/// Why a system call failed.
package enum SystemReason {
    /// The system's words for an `errno`, in lower case as all our messages.
    package static func text(_ code: Int32) -> String {
        let text = unsafe String(cString: strerror(code))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
