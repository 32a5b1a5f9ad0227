internal import SyncCore

/// The limits of one request of each kind, advertised with those of the format.
enum RequestLimits {
    /// The body of a decision about a held set.
    static let controlBytes = 4 * 1024

    /// The body of an enrolment: the control chain of a person's own space with its wraps.
    ///
    /// Smaller than that of a sync, because a stranger may send it.
    static let enrolBytes = 1024 * 1024

    /// How many signatures over its challenge an enrolment may carry; each is verified.
    static let enrolProofs = 4

    /// Hashes in one query for missing chunks.
    static let wantedHashes = 1000

    /// The body of that query, with room for quotes, commas and white space.
    static let wantedBytes = wantedHashes * 80

    /// The body of a request for entries: two ids and positions.
    static let entriesBytes = 4 * 1024

    /// The body of an audit; its largest part is the name of a collection.
    static let auditBytes = 32 * 1024

    /// Spaces in one sync.
    static let spaces = 64

    /// Replicas in one version vector.
    static let vectorReplicas = 10_000

    /// The bytes of entries in the reply to a sync, unless the device asks for fewer.
    static let pageBytes = 2 * 1024 * 1024

    /// The name of a person or a device, in UTF-8.
    static let nameBytes = 200

    /// The longest validity of an invitation: seven days.
    static let invitationSeconds = 7 * 24 * 3600

    static let advertised = [
        "control_bytes": controlBytes, "enrol_bytes": enrolBytes, "enrol_proofs": enrolProofs,
        "wanted_hashes": wantedHashes,
        "wanted_bytes": wantedBytes,
        "entries_bytes": entriesBytes,
        "audit_bytes": auditBytes,
        "request_spaces": spaces,
        "vector_replicas": vectorReplicas,
        "page_bytes": pageBytes,
        "name_bytes": nameBytes,
        "invitation_seconds": invitationSeconds,
    ]
}

extension Body {
    static func control(_ schema: Schema) -> Body {
        Body(content: .json(schema), byteLimit: RequestLimits.controlBytes)
    }
}

extension SyncCore.Limits {
    static let advertised = [
        "header_bytes": headerByteLimit,
        "body_bytes": bodyByteLimit,
        "decoded_body_bytes": decodedBodyByteLimit,
        "body_depth": bodyDepth,
        "cells": cellLimit,
        "text_bytes": textByteLimit,
        "request_bytes": requestByteLimit,
        "request_sets": setLimit,
        "request_entries": entryLimit,
        "request_decoded_chunk_bytes": decodedChunkByteLimit,
        "set_chunks": chunkReferenceLimit,
        "set_chunk_bytes": chunkByteLimit,
        "chunk_samples": Chunk.sampleLimit,
        "chunk_bytes": Chunk.byteLimit,
        "decoded_chunk_bytes": Chunk.contentLimit,
        "signature_window_seconds": Int(RequestSignature.windowSeconds),
    ]
}
