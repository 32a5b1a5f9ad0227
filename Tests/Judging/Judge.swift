import SyncCore

/// Asks Wake for its verdict on vectors.
package enum Judge {
    /// The verdict on one vector; throws where the vector itself is at fault.
    package static func judge(_ vector: Vector) throws -> Judgement {
        do {
            return try judgement(of: vector)
        } catch let error as CBORError {
            return Judgement(refused: error.reason)
        } catch let error as ChangeSetError {
            return Judgement(refused: error.reason)
        } catch let error as ChunkError {
            return Judgement(refused: error.reason)
        } catch let error as SignatureError {
            return Judgement(refused: error.reason)
        }
    }

    /// The kinds that only a server can judge.
    package static let serverKinds: Set = ["chain", "server-key"]

    private static func judgement(of vector: Vector) throws -> Judgement {
        switch vector.kind {
        case "value": try value(vector)
        case "header": try header(vector)
        case "body": try body(vector)
        case "upload": try upload(vector)
        case "chunk": try chunk(vector)
        case "reference": try reference(vector)
        case "log-entry": try logEntry(vector)
        case "push-item": try pushItem(vector)
        case "receipt": try receipt(vector)
        case "fingerprint": try fingerprint(vector)
        case "key": try key(vector)
        case "wrapped-key": try wrappedKey(vector)
        case "signature-base": try signatureBase(vector)
        case "request": try request(vector)
        case "link": try link(vector)
        default: throw BadVector(vector: vector.description, field: "kind")
        }
    }
}

extension CBORError {
    var reason: String {
        switch self {
        case .truncated: "truncated"
        case .unexpected: "unexpected"
        case .notShortest: "not-shortest"
        case .notFinite: "not-finite"
        case .tooLarge: "too-large"
        case .invalidText: "invalid-text"
        case .keysNotAscending: "keys-not-ascending"
        case .tooDeep: "too-deep"
        case .trailingBytes: "trailing-bytes"
        }
    }
}

extension ChangeSetError {
    var reason: String {
        switch self {
        case .encoding(let error): error.reason
        case .incomplete: "incomplete"
        case .unknownFormat: "unknown-format"
        case .badMAC: "bad-mac"
        case .unknownKeyEpoch: "unknown-key-epoch"
        case .unknownCriticalKey: "unknown-critical-key"
        case .wrongBody: "wrong-body"
        case .wrongCellCount: "wrong-cell-count"
        case .repeatedCell: "repeated-cell"
        case .wrongChunks: "wrong-chunks"
        case .tooLarge: "too-large"
        case .tooManyCells: "too-many-cells"
        }
    }
}

extension ChunkError {
    var reason: String {
        switch self {
        case .tooLarge: "too-large"
        case .unknownEncoding: "unknown-encoding"
        case .otherKind: "other-kind"
        case .badCompression: "bad-compression"
        case .truncated: "truncated"
        case .tooMany: "too-many"
        case .noContent: "no-content"
        case .notCanonical: "not-canonical"
        case .trailingBytes: "trailing-bytes"
        case .malformed: "malformed"
        }
    }
}

extension SignatureError {
    var reason: String {
        switch self {
        case .missing: "missing"
        case .malformed: "malformed"
        case .badSignature: "bad-signature"
        case .badDigest: "bad-digest"
        case .skewed: "skewed"
        }
    }
}
