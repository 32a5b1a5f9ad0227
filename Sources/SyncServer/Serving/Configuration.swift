internal import SyncCore

enum Configuration {
    struct Serve: Equatable {
        /// The data folder: store, views, keys.
        var data: String
        /// `host:port` of the devices' listener.
        var listen = "127.0.0.1:8300"
        /// `host:port` of the operators' listener, or nil for none.
        var health: String?
        /// `host:port` in links and signatures; the listener's address if nil.
        var authority: String?
        var encryption = Encryption.own
        /// The IP address of the only proxy that may connect; the proxy encrypts.
        var proxy: PeerAddress?
        /// Disk space reserved for small writes, in MiB.
        var reserveMebibytes: Int64 = 64

        /// Whether links would name no machine: the listener has a wildcard address and no
        /// authority is set.
        var linksNameNoMachine: Bool {
            authority == nil && ["0.0.0.0", "[::]"].contains(Authority(listen)?.host)
        }
    }

    /// The encryption of connections with devices.
    enum Encryption: Equatable {
        /// TLS with the server's own self-signed certificate.
        case own
        /// TLS with the certificate and key in these files.
        case given(certificate: String, key: String)
        /// No encryption by the server: loopback only, or behind a proxy.
        case plain
    }
}
