internal import SyncCore

extension RequestContext {
    /// An identifier in the path; what is none is as unknown as what is not there.
    func identifier(_ name: String) throws -> Identifier {
        guard let id = Identifier(exactly: self[name]) else {
            throw Problem(.notFound, "no such \(name)")
        }
        return id
    }

    /// A SHA-256 in the path.
    func digest(_ name: String) throws -> Digest {
        guard let digest = Digest(exactly: self[name]) else {
            throw Problem(.notFound, "no such \(name)")
        }
        return digest
    }
}

extension Identifier {
    /// Reads what ``description`` wrote, and no other spelling of it.
    init?(exactly text: String) {
        guard let id = Identifier(text), id.description == text else { return nil }
        self = id
    }
}

extension Digest {
    /// Reads what ``description`` wrote, and no other spelling of it.
    init?(exactly text: String) {
        guard let digest = Digest(hexadecimal: text), digest.description == text else { return nil }
        self = digest
    }
}
