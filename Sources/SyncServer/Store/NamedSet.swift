internal import SyncCore

/// A set of a refill request, as far as a signature over it matters.
struct NamedSet {
    let upload: Upload
    /// Nil if it did not come, or is not the one that the header names.
    let body: [UInt8]?
    let headSignature: Signature?

    /// Returns nil for an item that is malformed.
    init?(_ item: [UInt8]) {
        guard let refill = try? RefillItem(decoding: item[...]),
            let pushed = try? PushItem(decoding: refill.item[...]),
            let upload = try? Upload(parsing: pushed.upload)
        else { return nil }
        (self.upload, headSignature) = (upload, pushed.headSignature)
        body = pushed.body.flatMap { upload.header.isBody($0) ? $0 : nil }
    }
}
