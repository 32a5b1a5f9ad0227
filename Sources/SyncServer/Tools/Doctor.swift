internal import FoundationEssentials
internal import Glibc
internal import ProgramKit
internal import SyncCore

/// Checks a server's data folder, and repairs it only on request.
struct Doctor {
    let path: String
    /// The paths of a certificate and key that were given on the command line.
    var given: (certificate: String, key: String)?
    var repairs = false
    let now: UnixTime
    var observe: Inspection.Observer = { _, _ in }

    func callAsFunction() async -> [Check] {
        do {
            let folder = try DataFolder(existing: path)
            let first = [
                permissions(of: folder), key(of: folder), certificate(of: folder),
                .ok("server", folder.isServed ? "running" : "not running"),
            ]
            let keys = ServerKeys(master: try folder.presentMasterKey())
            return await first + examineStore(of: folder, keys) + [room(of: folder)]
        } catch DataFolderError.noStore where unsafe access(path + "/master.key", F_OK) == 0 {
            return [.trouble("store", DataFolderError.lostStore(path: path + "/store.db"))]
        } catch {
            return [.trouble("folder", error)]
        }
    }

    private func examineStore(of folder: DataFolder, _ keys: ServerKeys) async -> [Check] {
        do {
            var loss: [Check] = []
            let store = try folder.openExistingStore(receipts: keys.receiptSecret) { _ in
                let remedy = "devices send it again at their next sync"
                loss = [.warning("log end", SQLiteStore.lostCommits, remedy)]
            }
            let rebuilt = try await loss + repair(store)
            let inspection = try await store.readSnapshot { [observe] in
                try Inspection(of: $0, keys: keys, observe: observe)
            }
            let checks = try await rebuilt + examine(inspection, store)
            guard inspection.findings.words(.structure).isEmpty else { return checks }
            return try await checks + [
                views(of: folder, store, keys), revocations(of: folder, store), controls(store),
                backup(store),
            ]
        } catch StoreError.outdated {
            return [
                .warning(
                    "structure",
                    "an older version wrote the store, and it was not upgraded yet",
                    "start 'wake-server serve', which upgrades it, and run this again"
                )
            ]
        } catch {
            return [.trouble("structure", error)]
        }
    }

    /// Returns the mode bits of a file, or nil if they cannot be read.
    private func mode(_ file: String) -> mode_t? {
        var status = stat()
        return unsafe stat(file, &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private func permissions(of folder: DataFolder) -> Check {
        guard let mode = mode(folder.path), mode & 0o077 != 0 else {
            return .ok("folder", folder.path)
        }
        let remedy = "chmod 700 \(folder.path)"
        return .warning("folder", "other users can read \(folder.path)", remedy)
    }

    private func key(of folder: DataFolder) -> Check {
        let file = folder.path + "/master.key"
        do {
            _ = try folder.presentMasterKey()
        } catch {
            return .trouble("keys", error)
        }
        do {
            for file in [file, folder.key] { try folder.requirePrivate(file) }
        } catch {
            return .trouble("keys", error)
        }
        return .ok("keys", "present, and readable by their owner only")
    }

    private func certificate(of folder: DataFolder) -> Check {
        do {
            let trust = try folder.address?.trust
            let isOwn = unsafe access(folder.certificate, F_OK) == 0
            guard given != nil || isOwn else {
                return .ok(
                    "certificate",
                    "the server has none of its own: a proxy or other files provide it"
                )
            }
            let tls = try TLSContext(
                TLSIdentity(
                    certificate: given?.certificate ?? folder.certificate,
                    key: given?.key ?? folder.key
                )
            )
            if case .pinned(let pin)? = trust, pin != tls.pin {
                return .warning(
                    "certificate",
                    "links and devices trust another key than this one",
                    "restore that key, or let each device join again with a new link"
                )
            }
            return validity(of: tls)
        } catch {
            return .trouble("certificate", error)
        }
    }

    /// Checks the certificate's dates; they do not matter for a pinned key.
    private func validity(of tls: TLSContext) -> Check {
        if case .pinned = tls.trust {
            return .ok("certificate", "the server's own, and its key matches")
        }
        guard let valid = tls.validSeconds else {
            return .warning("certificate", "it does not say when it expires", nil)
        }
        let now = now.milliseconds / 1000
        let end = UnixTime(milliseconds: valid.upperBound * 1000).iso8601
        let remedy = "renew it, then send SIGHUP to the server"
        guard valid.contains(now) else {
            return now < valid.lowerBound
                ? .trouble("certificate", "it is not valid yet: check the clock", nil)
                : .trouble("certificate", "it expired at \(end)", remedy)
        }
        guard valid.upperBound - now > Self.renewalSeconds else {
            return .warning("certificate", "it expires soon, at \(end)", remedy)
        }
        return .ok("certificate", "its key matches, and it is valid until \(end)")
    }

    private static let renewalSeconds: Int64 = 14 * 24 * 3600

    private func room(of folder: DataFolder) -> Check {
        var (disk, reserve) = (statvfs(), stat())
        guard unsafe statvfs(folder.path, &disk) == 0 else {
            return .warning("room", "the free disk space is unknown", nil)
        }
        let free = Int64(clamping: disk.f_bavail) * Int64(clamping: disk.f_frsize)
        let text = "\(free >> 20) MiB are free"
        if free < 1 << 20 {
            return .trouble(
                "room",
                "the disk is full",
                "free disk space: the server stores nothing until then"
            )
        }
        let isEmpty =
            unsafe stat(folder.store + ".reserve", &reserve) == 0 && reserve.st_blocks == 0
        if isEmpty, folder.isServed {
            return .warning("room", "\(text), and the reserve is used up", "free disk space")
        }
        let store = (try? FileCopy.byteCount(of: folder.store)) ?? 0
        guard free > store else {
            return .warning(
                "room",
                "\(text): not enough for a copy of the store",
                "free disk space"
            )
        }
        return .ok("room", text)
    }
}
