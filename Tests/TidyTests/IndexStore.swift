internal import CIndexStore
import Foundation

/// Reads the index that the compiler writes beside a build.
@safe final class IndexStore {
    private let store: OpaquePointer

    /// Opens the store in a folder.
    init(path: String) throws {
        var reason: UnsafePointer<CChar>?
        guard let store = unsafe cindexstore_open(path, &reason) else {
            let reason = unsafe reason.map { unsafe String(cString: $0) } ?? ""
            throw IndexError.unreadable(path: path, reason: reason)
        }
        unsafe self.store = store
    }

    deinit {
        unsafe cindexstore_close(store)
    }

    /// One compilation of one file.
    struct Unit: Hashable, Sendable {
        let file: String
        let record: String
        let nanoseconds: Int
    }

    /// All compilations, those of deleted files and former builds included.
    var units: [Unit] {
        var count = 0
        let units = unsafe cindexstore_units(store, &count)
        defer { unsafe cindexstore_units_free(units, count) }
        return unsafe UnsafeBufferPointer(start: units, count: count).map { unit in
            unsafe Unit(
                file: String(cString: unit.file),
                record: String(cString: unit.record),
                nanoseconds: Int(unit.seconds * 1_000_000_000 + unit.nanoseconds)
            )
        }
    }

    /// The places in a record where a symbol stands.
    func occurrences(in record: String) -> [Occurrence] {
        var count = 0
        let occurrences = unsafe cindexstore_occurrences(store, record, &count)
        defer { unsafe cindexstore_occurrences_free(occurrences, count) }
        return unsafe UnsafeBufferPointer(start: occurrences, count: count).map { place in
            unsafe Occurrence(
                roles: Occurrence.Roles(rawValue: place.roles),
                line: Int(place.line),
                kind: Int(place.kind),
                usr: String(cString: place.usr),
                name: String(cString: place.name),
                relation: Self.relation(of: place)
            )
        }
    }

    private static func relation(of place: cindexstore_occurrence) -> Occurrence.Relation? {
        guard let usr = unsafe place.related_usr, let name = unsafe place.related_name else {
            return nil
        }
        return unsafe Occurrence.Relation(
            roles: Occurrence.Roles(rawValue: place.relation),
            usr: String(cString: usr),
            name: String(cString: name)
        )
    }
}

/// Why the index does not tell what is in the sources.
enum IndexError: Error, Equatable, CustomStringConvertible {
    /// There is no store, or the toolchain cannot read it.
    case unreadable(path: String, reason: String)
    /// A file is not in it, or was changed after it was compiled.
    case outdated(path: String)

    var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "cannot read the compiler's index at \(path): \(reason); build with"
                + " 'swift build --build-tests --enable-index-store', then run this again"
        case .outdated(let path):
            "the compiler's index does not have \(path) as it is; build with"
                + " 'swift build --build-tests --enable-index-store', then run this again"
        }
    }
}
