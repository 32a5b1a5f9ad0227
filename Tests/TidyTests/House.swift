/// The tables of the house: what may stand where.
enum House {
    static let longestFile = 400
    static let longestFunction = 40
    /// A test may tell a longer story.
    static let longestTestFunction = 60
    static let shortestMarkedFile = 200

    /// A text that may not appear in the code of some targets.
    struct Ban: Sendable {
        let text: String
        let remedy: String
        /// Starts of paths; empty for everywhere.
        var paths: [String] = []
        /// Files that may, as the table says why.
        var except: [String] = []
        /// Files that may where a comment on the next line says what makes it safe.
        var explained: [String] = []
    }

    static let bans = [
        Ban(text: "try!", remedy: "throw the error"),
        Ban(text: "as!", remedy: "make the type known, or use as?"),
        Ban(text: "@unchecked Sendable", remedy: "use Mutex, an actor or a value type"),
        Ban(
            text: "nonisolated(unsafe)",
            remedy: "use Locked, an actor or a value type",
            explained: [
                "Sources/SyncServer/HTTP/EventLoop.swift",
                "Sources/SyncServer/HTTP/Listener.swift",
                "Sources/SyncServer/HTTP/Locked.swift",
                "Sources/SyncServer/HTTP/TLSContext.swift",
            ]
        ),
        Ban(text: "Task.detached", remedy: "use a task group"),
        // Aligned to more than 16 bytes, it overflows an async frame: swiftlang/swift#91639.
        Ban(text: "SIMD3<", remedy: "use single words"),
        Ban(text: "SIMD4<", remedy: "use single words"),
        Ban(text: "SIMD8<", remedy: "use single words"),
        Ban(text: "DispatchQueue.global", remedy: "use an own queue"),
        Ban(text: "DispatchSemaphore", remedy: "await the result"),
        Ban(text: "fatalError", remedy: "use preconditionFailure with a reason, or throw"),
        Ban(text: "import XCTest", remedy: "use Swift Testing"),
        Ban(text: ".timeLimit(", remedy: "use .hangLimit or .processes", paths: ["Tests/"]),
        Ban(
            text: "Task.sleep",
            remedy: "wait for a condition, with until(_:_:)",
            paths: ["Tests/"],
            // These kill processes at random moments; HangWatch.swift implements `until`.
            except: [
                "Tests/ProcessTests/TLSProcessTests.swift",
                "Tests/ProcessTests/Accidents/BackupProcessTests.swift",
                "Tests/ProcessTests/Accidents/ServerKillTests.swift",
                "Tests/ProcessTests/Accidents/ClientKillTests.swift",
                "Tests/Harness/HangWatch.swift",
            ]
        ),
        Ban(text: "print(", remedy: "return the value; the edges print", paths: ["Sources/"]),
        Ban(
            text: "Date()",
            remedy: "take the time as an argument",
            paths: ["Sources/"]
        ),
        Ban(
            text: "SystemRandomNumberGenerator",
            remedy: "take the generator as an argument",
            paths: ["Sources/SyncCore/"],
            // The default that an application may replace.
            except: ["Sources/SyncCore/Replica/Replica.swift"]
        ),
    ]

    /// Words that may not appear anywhere, comments included.
    static let unfinished = ["TO" + "DO", "FIX" + "ME", "XX" + "X"]

    /// C module → the one folder or file that may import it.
    static let doors = [
        "CArchive": "Sources/SyncCLI/RecordingFiles/",
        "CCairo": "Sources/SyncCLI/Pictures/",
        "CCurl": "Sources/SyncCore/Sync/",
        "CEvent": "Sources/SyncServer/HTTP/",
        "CExpat": "Sources/SyncCore/Formats/",
        "CGeodesic": "Sources/SyncCore/Points/",
        "CMemory": "Sources/SyncCLI/Wake.swift",
        "COpenSSL": "Sources/SyncCore/Keys/",
        "CQREncode": "Sources/SyncCLI/Devices/",
        "CSQLite": "Sources/SyncCore/SQLite/",
        "CTLS": "Sources/SyncServer/HTTP/",
        "CTerminal": "Sources/ProgramKit/",
        "CYajl": "Sources/SyncCore/Formats/",
        "CZone": "Sources/SyncCLI/Measures/",
        "CZstd": "Sources/SyncCore/Compression/",
    ]

    /// Modules that may not be imported under a path.
    static let forbiddenImports = [
        "Sources/": ["Foundation", "FoundationNetworking", "FoundationXML", "XCTest"],
        "Sources/SyncCore/Clock/": ["FoundationEssentials", "Dispatch", "Glibc"],
        "Sources/SyncCore/CBOR/": ["FoundationEssentials", "Dispatch", "Glibc"],
        "Sources/SyncCore/Merge/": ["FoundationEssentials", "Dispatch", "Glibc"],
        "Sources/SyncCore/Keys/": ["FoundationEssentials", "Dispatch", "Glibc"],
        "Sources/SyncCore/ChangeSet/": ["FoundationEssentials", "Dispatch", "Glibc"],
        "Sources/SyncCore/Points/": ["FoundationEssentials", "Dispatch"],
        "Sources/SyncCore/Tracks/": ["FoundationEssentials", "Dispatch"],
        "Sources/SyncCore/Settings/": ["FoundationEssentials", "Dispatch"],
        "Sources/SyncCore/Figures/": ["FoundationEssentials", "Dispatch"],
        "Sources/SyncCore/Formats/": ["Dispatch"],
    ]

    /// Where every kind of data is a line.
    static let registry = "Sources/SyncCore/Domain/CollectionRegistry+Standard.swift"

    /// Code that serves every kind of data and knows none.
    static let genericCode =
        [
            "CBOR", "ChangeSet", "Collections", "Keys", "Merge", "SQLite", "Sync",
            "Replica/Identity", "Replica/Rows", "Replica/Chunks", "Replica/Log",
            "Replica/Enrolment", "Replica/Maintenance",
        ].map { "Sources/SyncCore/\($0)/" } + ["Sources/SyncServer/"]
        + ["Maintenance", "Rows", "Syncing", "Verdicts"].map { "Sources/SyncCLI/\($0)/" }

    /// Types that hold the names of a kind of data and of its fields.
    static let namesOfKinds = [
        "DeviceField", "Mark", "Place.Field", "Setting", "TrackEdits", "TrackField",
    ]

    /// Where a tag of the wire format is compared, which is no secret.
    static let tagFolders = ["Keys", "ChangeSet", "Replica", "Sync", "Auth", "Routes", "Store"]
}
