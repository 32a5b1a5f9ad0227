internal import Glibc
internal import ProgramKit

extension ListenerError: DescribedError {
    var exitCode: ExitCode {
        switch self {
        case .notAnAddress: .usage
        case .notBound: .failure
        }
    }

    var words: (message: String, hint: String?) {
        switch self {
        case .notAnAddress(let text): ("'\(text)' is not host:port", nil)
        case .notBound(let address, let code):
            (
                "cannot listen on \(address): "
                    + (code.map(SystemReason.text) ?? "the host name cannot be resolved"),
                Self.hint(forBinding: code)
            )
        }
    }

    private static func hint(forBinding code: Int32?) -> String {
        switch code {
        case EADDRINUSE:
            "another program uses the port: stop it, or choose another port; 0 picks a free one"
        case EACCES:
            "ports below 1024 are reserved: choose a higher one, or let a proxy listen there"
        case EADDRNOTAVAIL:
            "this machine has no such address; 0.0.0.0 and [::] stand for all its addresses"
        case nil: "use an IP address, or a name that this machine can resolve"
        default: "check the address and the port"
        }
    }
}
