internal import SyncCore

/// The identity that devices verify, and its source.
struct ServerIdentity: Sendable {
    private let source: Configuration.Encryption
    private let folder: DataFolder
    private let isProxied: Bool
    let tls: TLSContext?

    /// Reads certificate and key; the server's own are created if they are missing.
    init(_ configuration: Configuration.Serve, in folder: DataFolder) throws {
        source = configuration.encryption
        self.folder = folder
        isProxied = configuration.proxy != nil
        if source == .own { try folder.makeTLSIdentity() }
        tls = try Self.read(source, folder).map(TLSContext.init)
    }

    /// The trust that links carry; a proxy has its own certificate.
    var trust: ServerTrust { isProxied ? .authorities : tls?.trust ?? .plain }

    /// Reloads certificate and key; on an error the old ones stay in use.
    func reload() throws {
        guard let tls, let identity = try Self.read(source, folder) else { return }
        try tls.reload(identity)
    }

    private static func read(
        _ source: Configuration.Encryption,
        _ folder: DataFolder
    ) throws -> TLSIdentity? {
        switch source {
        case .own: try TLSIdentity(certificate: folder.certificate, key: folder.key)
        case .given(let certificate, let key): try TLSIdentity(certificate: certificate, key: key)
        case .plain: nil
        }
    }
}

extension ServerIdentity: CustomStringConvertible {
    /// A description for the operator.
    var description: String {
        let key = tls.map { ServerTrust.pinned($0.pin).description } ?? "none"
        return switch trust {
        case .plain: "plain HTTP, for this machine only"
        case .authorities where isProxied:
            "plain HTTP for the proxy; links require a certificate of an authority"
        case .authorities: "links require a certificate of an authority; its key is \(key)"
        case .pinned: "links carry the key \(key)"
        }
    }
}
