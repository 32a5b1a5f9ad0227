internal import ProgramKit
internal import SyncCore

/// Options that several commands share.
extension Option {
    static let authority = Option(
        "--authority HOST:PORT",
        "address that devices use, if not the one of --listen"
    )

    static let certificate = [
        Option("--certificate PEM", "the TLS certificate, followed by its chain"),
        Option("--key PEM", "the private key of that certificate"),
    ]
}

extension Arguments {
    /// Returns `--authority`, or nil if it was not given.
    func authority() throws(ConfigurationError) -> String? {
        guard let text = option("--authority") else { return nil }
        guard let authority = Authority(text), authority.port > 0 else { throw .notAuthority(text) }
        return text
    }

    /// Returns the paths of a certificate and its key, or nil if they were not given.
    func certificate(of command: String) throws(UsageError) -> (certificate: String, key: String)? {
        switch (option("--certificate"), option("--key")) {
        case (nil, nil): nil
        case (let certificate?, let key?): (certificate, key)
        case (_?, nil): throw .missing("--key", command: command)
        case (nil, _?): throw .missing("--certificate", command: command)
        }
    }
}
