import SyncCore

/// What Wake makes of a vector.
package struct Judgement: Sendable {
    /// `ok`, or why it was refused.
    package private(set) var verdict = "ok"
    /// What came out, by the name that it has in the files.
    package var findings: [String: [Finding]] = [:]
    /// What was read, written again; nil where nothing is written.
    package var encoded: [UInt8]?

    /// One value that came out.
    package enum Finding: Equatable, Sendable {
        case bytes([UInt8])
        case text(String)
    }

    init(encoded: [UInt8]? = nil) {
        self.encoded = encoded
    }

    init(refused reason: String) {
        verdict = reason
    }

    /// What a vector says that came out otherwise, or did not come out; empty when all is well.
    package func differences(from vector: Vector) throws -> [String] {
        let names = Set(vector.fields.map(\.name)).subtracting(vector.inputs + ["expect"])
        let isExpected = vector.expected?.split(separator: " or ").contains(verdict[...]) == true
        var differences = isExpected ? [] : ["the verdict is \(verdict)"]
        for name in names.subtracting(["encodes"]) where try !agrees(with: vector, on: name) {
            differences.append("\(name) is \(findings[name, default: []])")
        }
        let encodes = vector.text("encodes") == nil ? "input" : "encodes"
        if let encoded, try encoded != vector.bytes(encodes) {
            differences.append("encodes as \(encoded.hexadecimal)")
        }
        return differences
    }

    private func agrees(with vector: Vector, on name: String) throws -> Bool {
        switch findings[name]?.first {
        case .bytes: try findings[name] == vector.allBytes(name).map { .bytes($0) }
        case .text: findings[name] == vector.texts(name).map { .text($0) }
        case nil: false
        }
    }
}

extension Vector {
    /// The fields that go in.
    fileprivate var inputs: [String] {
        switch kind {
        case "body": ["input", "replica", "low", "high", "cells", "chunk"]
        case "upload":
            ["input", "body", "space", "space-secret", "device", "device-secret"]
        case "chain": ["space", "device", "master", "now", "item"]
        case "challenge": ["text", "master", "now", "made", "random"]
        case "control-set": ["input", "body", "key"]
        case "control-chain": ["space", "now", "logged", "item"]
        case "answer": ["space", "item", "input"]
        case "key", "server-key": ["purpose", "secret", "id", "epoch"]
        case "id":
            ["purpose", "space-kind", "signing", "agreement", "nonce", "space", "user", "salt"]
        case "vouch": ["input", "card", "key"]
        case "user-proof": ["input", "card"]
        case "head":
            // Wake shows only the signature over what is signed.
            [
                "input", "key", "space", "device", "replica", "sequence", "hash", "control",
                "signed",
            ]
        case "enrol-proof": ["input", "signer", "key", "challenge", "authority"]
        case "recovery-code": ["text"]
        case "wrap": ["input", "space", "epoch", "agreement"]
        case "earlier": ["input", "space", "epoch", "secret"]
        case "receipt":
            ["input", "key", "space", "replica", "sequence", "hash", "verdict", "admin"]
        case "fingerprint": ["cell"]
        case "link": ["text", "input"]
        case "signature-base":
            [
                "method", "path", "query", "authority", "header", "component", "parameters",
                "key",
            ]
        case "request":
            ["method", "path", "query", "authority", "header", "body", "key", "now"]
        default: ["input"]
        }
    }
}
