internal import FoundationEssentials
internal import Glibc
internal import ProgramKit
internal import SyncCore

/// Checks a server's data folder, and repairs it only on request.
struct Doctor {
    let path: String
    /// The paths of a certificate and key that were given on the command line.
    var given: (certificate: String, key: String)?
    /// Whether to repair what can be repaired.
    var repairs = false
    let now: UnixTime
    var observe: Inspection.Observer = { _, _ in }

    /// Runs all checks that are possible.
    func callAsFunction() async -> [Check] {
        do {
            let folder = try DataFolder(existing: path)
            var all = [
                permissions(of: folder), key(of: folder), certificate(of: folder),
                server(of: folder),
            ]
            let keys = ServerKeys(master: try folder.presentMasterKey())
            all += await examineStore(of: folder, keys)
            return all + [room(of: folder)]
        } catch DataFolderError.noStore where isKeyThere {
            let lost = DataFolderError.lostStore(path: path + "/store.db")
            return [.trouble("store", lost)]
        } catch {
            return [.trouble("folder", error)]
        }
    }

    private var isKeyThere: Bool {
        unsafe access(path + "/master.key", F_OK) == 0
    }

    private func examineStore(of folder: DataFolder, _ keys: ServerKeys) async -> [Check] {
        do {
            let store = try folder.openExistingStore(receipts: keys.receiptSecret)
            let inspection = try await store.readSnapshot { [observe] in
                try Inspection(of: $0, keys: keys, observe: observe)
            }
            var all = try await examine(inspection, store)
            guard inspection.findings.words(.structure).isEmpty else { return all }
            all += [await views(of: folder, store, keys)]
            return all + [try await revocations(of: folder, store), try await backup(store)]
        } catch StoreError.outdated {
            return [Self.older]
        } catch {
            return [.trouble("structure", error)]
        }
    }

    private static let older = Check.warning(
        "structure",
        "an older program made the store, and it is not up to date yet",
        "'wake-server serve' brings it up to date; look again then"
    )

    private func server(of folder: DataFolder) -> Check {
        .ok("server", folder.isServed ? "a server runs" : "no server runs")
    }
}

extension Doctor {
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
        return .warning("folder", "others than its owner can look into \(folder.path)", remedy)
    }

    private func key(of folder: DataFolder) -> Check {
        let file = folder.path + "/master.key"
        do {
            _ = try folder.presentMasterKey()
        } catch {
            return .trouble("keys", error)
        }
        for file in [file, folder.key] {
            guard let mode = mode(file), mode & 0o077 != 0 else { continue }
            return .trouble("keys", "others can read \(file)", "chmod 600 \(file)")
        }
        return .ok("keys", "there, and its owner's alone")
    }

    private func certificate(of folder: DataFolder) -> Check {
        do {
            let trust = try folder.address?.trust
            let isOwn = unsafe access(folder.certificate, F_OK) == 0
            guard given != nil || isOwn else {
                return .ok("certificate", "none of the server's own: the proxy's, or given files")
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
                    "links and devices name another key than this one",
                    "put that key back, or let each device join again with a new link"
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
            return .ok("certificate", "the server's own, and its key fits")
        }
        guard let valid = tls.validSeconds else {
            return .warning("certificate", "it does not say until when it is good", nil)
        }
        let now = now.milliseconds / 1000
        let end = UnixTime(milliseconds: valid.upperBound * 1000).iso8601
        let remedy = "renew it, then send the server a SIGHUP"
        guard valid.contains(now) else {
            return now < valid.lowerBound
                ? .trouble("certificate", "it is not good yet: see the clock", nil)
                : .trouble("certificate", "it was good until \(end)", remedy)
        }
        guard valid.upperBound - now > Self.renewalSeconds else {
            return .warning("certificate", "it is good until \(end) only", remedy)
        }
        return .ok("certificate", "its key fits, and it is good until \(end)")
    }

    private static let renewalSeconds: Int64 = 14 * 24 * 3600

    /// Checks the free disk space.
    private func room(of folder: DataFolder) -> Check {
        var (disk, reserve) = (statvfs(), stat())
        guard unsafe statvfs(folder.path, &disk) == 0 else {
            return .warning("room", "the disk does not say how much it has left", nil)
        }
        let free = Int64(clamping: disk.f_bavail) * Int64(clamping: disk.f_frsize)
        let text = "\(free >> 20) MiB are free"
        if free < 1 << 20 {
            return .trouble("room", "the disk is full", "make room: nothing is stored until then")
        }
        let isEmpty =
            unsafe stat(folder.store + ".reserve", &reserve) == 0 && reserve.st_blocks == 0
        if isEmpty, folder.isServed {
            return .warning("room", "\(text), and the reserve is used up", "make room")
        }
        let store = (try? FileCopy.byteCount(of: folder.store)) ?? 0
        guard free > store else {
            return .warning("room", "\(text): not enough for a second store", "make room")
        }
        return .ok("room", text)
    }
}
