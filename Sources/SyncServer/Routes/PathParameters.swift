internal import SyncCore

extension RequestContext {
    /// Parses an identifier in the path; a malformed one gets 404, like an unknown one.
    func identifier(_ name: String) throws -> Identifier {
        try parameter(name, Identifier.init(exactly:))
    }

    /// Parses a hexadecimal SHA-256 in the path.
    func digest(_ name: String) throws -> Digest {
        try parameter(name, Digest.init(exactly:))
    }

    private func parameter<Value>(_ name: String, _ parse: (String) -> Value?) throws -> Value {
        guard let value = parse(self[name]) else { throw Problem(.notFound, "no such \(name)") }
        return value
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
