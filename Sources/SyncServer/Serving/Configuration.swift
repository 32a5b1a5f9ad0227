internal import SyncCore

/// How a server is to serve.
enum Configuration {
    /// Where to serve from and to.
    struct Serve: Equatable {
        /// The folder of the store, the views and the master key.
        var data: String
        /// `host:port` of the devices' listener.
        var listen = "127.0.0.1:8300"
        /// `host:port` of the operators' listener; nil for none.
        var health: String?
        /// What devices call this server; the listener's address where not given.
        var authority: String?
        /// How the devices' listener encrypts.
        var encryption = Encryption.own
        /// The IP address of the one proxy that may connect, which encrypts for it.
        var proxy: PeerAddress?
        /// Room on the disk that is held back for small writes, in MiB.
        var reserveMebibytes: Int64 = 64

        /// Whether the listener has every address of this machine, and nobody said which one
        /// devices should take.
        var linksNameNoMachine: Bool {
            authority == nil && ["0.0.0.0", "[::]"].contains(Authority(listen)?.host)
        }
    }

    /// Who encrypts what goes to devices, and with which certificate.
    enum Encryption: Equatable {
        /// TLS with the certificate that the server made for itself.
        case own
        /// TLS with the certificate and key of these files.
        case given(certificate: String, key: String)
        /// Nobody, on this machine; or the proxy.
        case plain
    }
}
