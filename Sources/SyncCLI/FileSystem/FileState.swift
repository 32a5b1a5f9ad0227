import SyncCore

/// The metadata that shows that a file changed.
struct FileState: Hashable {
    let file: UInt64
    let byteCount: Int64
    let changed: UnixTime
}
