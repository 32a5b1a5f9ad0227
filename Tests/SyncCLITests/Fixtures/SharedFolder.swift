import Foundation

/// Real recordings beside the repository: in `$WAKE_SHARED`, else in `../shared`.
enum SharedFolder {
    static let path: String = {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let beside = root.deletingLastPathComponent().appending(path: "shared").path()
        return ProcessInfo.processInfo.environment["WAKE_SHARED"] ?? beside
    }()

    static let isHere = FileManager.default.fileExists(atPath: path + "/data/README.md")
}
