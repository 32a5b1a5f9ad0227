internal import ProgramKit
internal import SyncCore

/// What several commands of the server take.
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
    /// What devices are to call the server; nil where nobody said.
    func authority() throws(ConfigurationError) -> String? {
        guard let text = option("--authority") else { return nil }
        guard let authority = Authority(text), authority.port > 0 else {
            throw .notAuthority(text)
        }
        return text
    }

    /// The files of a certificate and its key; nil where none were given.
    func certificate(
        of command: String
    ) throws(UsageError) -> (certificate: String, key: String)? {
        switch (option("--certificate"), option("--key")) {
        case (nil, nil): nil
        case (let certificate?, let key?): (certificate, key)
        case (_?, nil): throw .missing("--key", command: command)
        case (nil, _?): throw .missing("--certificate", command: command)
        }
    }
}
