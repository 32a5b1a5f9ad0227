import SyncCore

/// What changes with a file.
struct FileState: Hashable {
    let file: UInt64
    let byteCount: Int64
    let changed: UnixTime
}
