internal import SyncCore

/// A server's log without a server: it takes what is pushed and makes pages of it.
///
/// The control sets of the ``SharedSpace`` come first, as a page of their own.
struct Relay {
    private(set) var pages: [Page] = []
    /// The chunks that came with the sets.
    private(set) var chunks: [Digest: [UInt8]] = [:]
    private let epoch = Identifier(number: 2)
    private var position: UInt64 = 0
    private var chain = Digest.zero

    /// Takes all that a device has to push, and tells it so; returns the items.
    @discardableResult
    mutating func take(from device: Device) async throws -> [[UInt8]] {
        try await device.replica.write { try $0.sealer.seal(at: device.now()) }
        let items = try await push(from: device)
        try await Self.accept(items, of: device)
        return items
    }

    /// Takes what a device has sealed.
    mutating func push(from device: Device) async throws -> [[UInt8]] {
        if pages.isEmpty { self = try await SharedSpace.made.value.log }
        let items = try await device.pushItems()
        try append(items)
        return items
    }

    /// Takes items as a page.
    mutating func append(_ items: [[UInt8]]) throws { pages.append(try page(of: items)) }

    /// Tells a device that its sets were accepted.
    static func accept(_ items: [[UInt8]], of device: Device) async throws {
        let results = items.indices.map {
            PushResult.judged(position: UInt64($0 + 1), .accepted, reason: "")
        }
        _ = try await device.replica.write { try $0.queue.recordVerdicts(results, of: items) }
    }

    /// The pages from an index on as one, as a server sends them to a device that was away.
    func joinedPages(from index: Int) -> Page? {
        pages.last.map { last in
            Page(
                epoch: last.epoch,
                entries: pages[index...].flatMap(\.entries),
                position: last.position,
                chain: last.chain,
                head: last.head,
                fingerprint: nil
            )
        }
    }

    /// The next page, which accepts all of `items`.
    private mutating func page(of items: [[UInt8]]) throws -> Page {
        let entries = try items.map { item in
            let item = try PushItem(decoding: item[...])
            let upload = try Upload(parsing: item.upload)
            for chunk in item.chunks { chunks[Digest(of: chunk)] = chunk }
            position += 1
            chain = LogChain.link(after: chain, upload.name, .accepted)
            return LogEntry(
                position: position,
                body: item.body,
                receipt: [UInt8](repeating: 0, count: 32),
                content: .set(upload: item.upload, .accepted),
                headSignature: item.headSignature
            ).encoded
        }
        return Page(
            epoch: epoch,
            entries: entries,
            position: position,
            chain: chain,
            head: position,
            fingerprint: nil
        )
    }
}
