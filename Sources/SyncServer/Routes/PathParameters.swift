internal import SyncCore

extension RequestContext {
    /// Parses an identifier in the path; a malformed one gets 404, like an unknown one.
    func identifier(_ name: String) throws -> Identifier {
        guard let id = Identifier(exactly: self[name]) else {
            throw Problem(.notFound, "no such \(name)")
        }
        return id
    }

    /// Parses a hexadecimal SHA-256 in the path.
    func digest(_ name: String) throws -> Digest {
        guard let digest = Digest(exactly: self[name]) else {
            throw Problem(.notFound, "no such \(name)")
        }
        return digest
    }
}

extension Identifier {
    /// Parses the output of ``description``, and rejects any other spelling.
    init?(exactly text: String) {
        guard let id = Identifier(text), id.description == text else { return nil }
        self = id
    }
}

extension Digest {
    /// Parses the output of ``description``, and rejects any other spelling.
    init?(exactly text: String) {
        guard let digest = Digest(hexadecimal: text), digest.description == text else { return nil }
        self = digest
    }
}
