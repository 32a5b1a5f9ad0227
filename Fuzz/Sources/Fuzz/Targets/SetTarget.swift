import SyncCore

/// Change sets.
///
/// The first byte says what the others are:
/// `u` an upload as it comes; `h` a header, which is put under both MACs; `b` a body, `z` a body to
/// be compressed, `f` a body in the frame that should hold it, each under a header that fits it.
enum SetTarget {
    private static let stamps: ClosedRange<UInt64> = 1 << 20...1 << 62
    private static let space = SpaceKeys(
        space: Identifier(number: 1),
        secrets: [1: Secret(bytes: [UInt8](repeating: 1, count: 32))]
    )
    private static let device = DeviceKeys(
        device: Identifier(number: 2),
        secrets: [1: Secret(bytes: [UInt8](repeating: 2, count: 32))]
    )

    static func check(_ input: [UInt8]) {
        let bytes = Array(input.dropFirst())
        switch input.first {
        case UInt8(ascii: "u"): checkUpload(bytes)
        case UInt8(ascii: "h"): checkHeader(bytes)
        case UInt8(ascii: "b"): checkBody(bytes, as: .plain)
        case UInt8(ascii: "z"): checkBody(Zstandard.compress(bytes), as: .zstandard)
        case UInt8(ascii: "f"): checkBody(bytes, as: .zstandard)
        default: break
        }
    }

    private static func checkUpload(_ bytes: [UInt8]) {
        guard let upload = try? Upload(parsing: bytes) else { return }
        precondition(upload.bytes == bytes, "signed bytes travel verbatim")
        guard let macs = upload.macs, isOurs(macs) else {
            let opened = try? ChangeSet(opening: upload, body: [], with: space)
            let relayed = try? ChangeSet(relaying: upload, body: [], from: device)
            precondition(opened == nil || relayed == nil, "both MACs are checked")
            return
        }
        precondition(sealed(Array(macs.inner.payload)) == bytes, "an upload has one form")
    }

    private static func checkHeader(_ bytes: [UInt8]) {
        guard let upload = try? Upload(parsing: sealed(bytes)) else { return }
        precondition(bytes.count <= Limits.headerByteLimit, "headers have a limit")
        precondition(upload.macs.map(isOurs) ?? false, "what was sealed verifies")
        let header = upload.header
        precondition((try? Header(decoding: header.encoded[...])) == header, "headers come back")
        precondition(
            header.encoded == bytes || !IntegerKeys(of: bytes).are(in: 0...31),
            "a header of this version has one encoding"
        )
        guard let set = try? ChangeSet(opening: upload, body: [], with: space) else { return }
        precondition(set.changes.isEmpty, "an empty body has no changes")
    }

    private static func checkBody(_ body: [UInt8], as encoding: Header.Encoding) {
        let plain: [UInt8]? =
            switch encoding {
            case .plain: body
            case .zstandard:
                try? Zstandard.decompress(body, byteLimit: Limits.decodedBodyByteLimit)
            }
        let contents = plain.map(BodyContents.init)
        let header = header(
            of: body,
            as: encoding,
            byteCount: plain?.count ?? Zstandard.statedByteCount(of: body) ?? 0,
            contents ?? BodyContents([])
        )
        guard let upload = try? Upload(parsing: sealed(header.encoded)),
            let opened = try? ChangeSet(opening: upload, body: body, with: space)
        else { return }
        precondition(plain.map { $0.count <= Limits.decodedBodyByteLimit } ?? false, "unbounded")
        let changes = opened.changes
        let encoded = Body.encode(changes, from: stamps.lowerBound).bytes
        precondition(encoded == plain, "one encoding a body")
        precondition(
            zip(changes, changes.dropFirst()).allSatisfy { $0.key < $1.key },
            "cells ascend by key"
        )
        for change in changes {
            precondition(stamps.contains(change.cell.stamp.time), "stamps are in range")
            let value = try? Value(decoding: change.cell.encoded)
            precondition(value?.encoded == change.cell.encoded, "the value of a cell can be read")
        }
        let relayed = try? ChangeSet(relaying: upload, body: body, from: device)
        precondition(relayed?.changes == changes, "the server reads what members read")
    }

    private static func header(
        of body: [UInt8],
        as encoding: Header.Encoding,
        byteCount: Int,
        _ contents: BodyContents
    ) -> Header {
        var header = Header.sample(space: space.space, device: device.device)
        header.stamps = stamps
        header.cellCount = contents.cellCount
        header.bodyHash = Digest(of: body)
        header.bodyByteCount = body.count
        header.decodedByteCount = byteCount
        header.chunks = Body.chunks(of: contents.changes)
        header.encoding = encoding
        return header
    }

    private static func isOurs(_ macs: (outer: Envelope, inner: Envelope)) -> Bool {
        guard let spaceKey = space.macKey(epoch: macs.inner.keyEpoch),
            let deviceKey = device.macKey(epoch: macs.outer.keyEpoch)
        else { return false }
        return macs.outer.verifies(with: deviceKey, for: .device)
            && macs.inner.verifies(with: spaceKey, for: .space)
    }

    private static func sealed(_ header: [UInt8]) -> [UInt8] {
        guard let spaceKey = space.macKey(epoch: 1), let deviceKey = device.macKey(epoch: 1)
        else { preconditionFailure("the keys have an epoch 1") }
        let inner = Envelope.seal(header, with: spaceKey, epoch: 1, for: .space)
        return Envelope.seal(inner, with: deviceKey, epoch: 1, for: .device)
    }
}
