internal import Foundation

/// A folder of the run's own that goes away with this value.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "wake-benchmarks-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The bytes of a file.
    static func byteCount(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.size] as? Int) ?? 0
    }

    /// The folder of data and references beside the repository.
    static var shared: String {
        ProcessInfo.processInfo.environment["WAKE_SHARED"] ?? repository + "/../shared"
    }

    /// A recording beside the repository, nil where it is not.
    static func path(ofRecording name: String) -> String? {
        let path = "\(shared)/data/\(name)"
        return FileManager.default.isReadableFile(atPath: path) ? path : nil
    }

    /// Its bytes.
    static func recording(_ name: String) -> [UInt8]? {
        path(ofRecording: name).flatMap(FileManager.default.contents).map(Array.init)
    }

    /// The folder of the package that is measured.
    static let repository = #filePath.split(separator: "/").dropLast(5)
        .reduce("") { $0 + "/" + $1 }
}
