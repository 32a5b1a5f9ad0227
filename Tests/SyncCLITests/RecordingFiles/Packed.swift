import CLibArchive

/// Archives that a test makes.
enum Packed {
    /// A zip archive of files.
    static func zip(_ files: [(name: String, bytes: [UInt8])], password: String? = nil) -> [UInt8] {
        unsafe make(room: files) { archive in
            unsafe archive_write_set_format_zip(archive)
            guard let password else { return }
            unsafe archive_write_set_options(archive, "zip:encryption=traditional")
            unsafe archive_write_set_passphrase(archive, password)
        }
    }

    /// One file, compressed.
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        unsafe make(room: [("file", bytes)]) { archive in
            unsafe archive_write_add_filter_gzip(archive)
            unsafe archive_write_set_format_raw(archive)
        }
    }

    private static func make(
        room files: [(name: String, bytes: [UInt8])],
        _ prepare: (OpaquePointer) -> Void
    ) -> [UInt8] {
        guard let archive = unsafe archive_write_new() else { return [] }
        unsafe prepare(archive)
        var packed = [UInt8](
            repeating: 0,
            count: files.reduce(1 << 16) { $0 + 1000 + $1.bytes.count }
        )
        let count = unsafe packed.withUnsafeMutableBytes { room in
            var used = 0
            unsafe archive_write_set_bytes_in_last_block(archive, 1)
            unsafe archive_write_open_memory(archive, room.baseAddress, room.count, &used)
            for (name, bytes) in files { unsafe add(name, bytes, to: archive) }
            unsafe archive_write_close(archive)
            return used
        }
        unsafe archive_write_free(archive)
        return Array(packed.prefix(count))
    }

    private static func add(_ name: String, _ bytes: [UInt8], to archive: OpaquePointer) {
        let entry = unsafe archive_entry_new()
        unsafe archive_entry_set_pathname(entry, name)
        unsafe archive_entry_set_filetype(entry, name.hasSuffix("/") ? 0o040000 : 0o100000)
        unsafe archive_entry_set_perm(entry, 0o644)
        unsafe archive_entry_set_size(entry, Int64(bytes.count))
        unsafe archive_entry_set_mtime(entry, 1_777_627_800, 0)
        unsafe archive_write_header(archive, entry)
        _ = unsafe archive_write_data(archive, bytes, bytes.count)
        unsafe archive_entry_free(entry)
    }
}
