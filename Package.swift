// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "wake",
    products: [
        .library(name: "SyncCore", targets: ["SyncCore"]),
        .executable(name: "wake", targets: ["SyncCLI"]),
        .executable(name: "wake-server", targets: ["SyncServer"]),
    ],
    targets: [
        .target(
            name: "CSQLite",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("z")]
        ),
        .target(name: "CExpat", linkerSettings: [.linkedLibrary("expat")]),
        .systemLibrary(name: "CMemory"),
        .target(name: "CQREncode", linkerSettings: [.linkedLibrary("qrencode")]),
        .target(name: "CArchive", linkerSettings: [.linkedLibrary("archive")]),
        .target(name: "CYajl", linkerSettings: [.linkedLibrary("yajl")]),
        .target(name: "COpenSSL", linkerSettings: [.linkedLibrary("crypto")]),
        .target(
            name: "CTLS",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]
        ),
        .target(name: "CZstd", linkerSettings: [.linkedLibrary("zstd")]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CTerminal"),
        .target(name: "CCairo", linkerSettings: [.linkedLibrary("cairo")]),
        .target(name: "CGeodesic", linkerSettings: [.linkedLibrary("GeographicLib")]),
        .target(name: "CZone", linkerSettings: [.linkedLibrary("cctz")]),
        .target(
            name: "CEvent",
            linkerSettings: ["event", "event_pthreads", "event_openssl", "ssl"]
                .map { .linkedLibrary($0) }
        ),
        .target(
            name: "SyncCore",
            dependencies: [
                "CSQLite", "COpenSSL", "CZstd", "CExpat", "CYajl", "CCurl", "CGeodesic",
            ],
            swiftSettings: strict,
            linkerSettings: [.linkedLibrary("m")]
        ),
        .target(
            name: "ProgramKit",
            dependencies: ["SyncCore", "CTerminal"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "SyncServer",
            dependencies: ["ProgramKit", "SyncCore", "CTLS", "CEvent"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "SyncCLI",
            dependencies: [
                "ProgramKit", "SyncCore", "CQREncode", "CArchive", "CCairo", "CMemory", "CZone",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SyncCoreTests",
            dependencies: ["SyncCore", "Judging", "Harness", "SimulatedDisk"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ProgramKitTests",
            dependencies: ["ProgramKit", "SyncCore"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SyncServerTests",
            dependencies: [
                "SyncServer", "ProgramKit", "SyncCore", "Judging", "Harness", "SimulatedDisk",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SyncCLITests",
            dependencies: ["SyncCLI", "ProgramKit", "SyncCore", "CLibArchive", "Harness"],
            exclude: ["Transcripts"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ProcessTests",
            dependencies: [
                "SyncCLI", "SyncServer", "ProgramKit", "SyncCore", "Harness", "Judging",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Judging",
            dependencies: ["SyncCore"],
            path: "Tests/Judging",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["SyncServer", "SyncCore", "SimulatedDisk", "CJobs"],
            swiftSettings: strict
        ),
        .target(
            name: "CDisk",
            path: "Tests/CDisk",
            linkerSettings: [.linkedLibrary("sqlite3")]
        ),
        .target(
            name: "SimulatedDisk",
            dependencies: ["SyncCore", "CDisk", "CSQLite"],
            path: "Tests/SimulatedDisk",
            swiftSettings: strict
        ),
        .systemLibrary(name: "CLibArchive", path: "Tests/CLibArchive", pkgConfig: "libarchive"),
        .target(name: "CJobs", path: "Tests/CJobs"),
        .target(name: "Harness", path: "Tests/Harness", swiftSettings: strict),
        .target(name: "CIndexStore", path: "Tests/CIndexStore"),
        .testTarget(name: "TidyTests", dependencies: ["CIndexStore"], swiftSettings: strict),
    ]
)

// One suite alone, which a release build of all would have to wait for.
if let suite = Context.environment["WAKE_SUITE"] {
    package.targets.removeAll { $0.isTest && $0.name != suite }
}
