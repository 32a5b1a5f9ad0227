// swift-tools-version: 6.2
import PackageDescription

// What `package` access means is one flag of the compiler: the name of the package. SwiftPM takes
// it from the folder; with the same name the benchmarks reach what the programs reach
// (docs/decisions/0002-benchmarks.md).
let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? "wake"
let wake = String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-package-name", wake]),
]

let package = Package(
    name: "Benchmarks",
    products: [.library(name: "Steps", type: .dynamic, targets: ["CSteps"])],
    dependencies: [.package(name: "wake", path: "..")],
    targets: [
        .target(name: "CProbe", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(name: "CSteps", linkerSettings: [.linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CProbe",
                .product(name: "SyncCore", package: "wake"),
                .product(name: "wake", package: "wake"),
                .product(name: "wake-server", package: "wake"),
            ],
            // SwiftPM passes no name of its own.
            packageAccess: false,
            swiftSettings: strict
        ),
    ]
)
