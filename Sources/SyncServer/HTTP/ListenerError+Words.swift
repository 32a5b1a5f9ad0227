internal import Glibc
internal import ProgramKit

extension ListenerError: DescribedError {
    var words: (message: String, hint: String?) {
        switch self {
        case .notAnAddress(let text): ("'\(text)' is not host:port", nil)
        case .notBound(let address, let code):
            (
                "cannot listen on \(address): "
                    + (code.map(SystemReason.text) ?? "the name of the host is not known"),
                Self.hint(forBinding: code)
            )
        }
    }

    private static func hint(forBinding code: Int32?) -> String {
        switch code {
        case EADDRINUSE:
            "another program has the port: stop it, or give another; 0 takes a free one"
        case EACCES: "ports below 1024 are the system's: give a higher one, or let a proxy have it"
        case EADDRNOTAVAIL: "this machine has no such address; 0.0.0.0 and [::] are all it has"
        case nil: "give an address, or a name that this machine can look up"
        default: "see the address and the port"
        }
    }
}
