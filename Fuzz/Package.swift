// swift-tools-version: 6.2
import PackageDescription

// The same package name as the main package's, so that `package` access reaches here; see
// docs/decisions/0002-benchmarks.md.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? "wake"
let wake = String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "wake", path: "..")],
    targets: [
        .executableTarget(
            name: "Fuzz",
            dependencies: [.product(name: "SyncCore", package: "wake")],
            // SwiftPM passes no name of its own.
            packageAccess: false,
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .strictMemorySafety(),
                .treatAllWarnings(as: .error),
                // libFuzzer brings `main`.
                .unsafeFlags(["-package-name", wake, "-parse-as-library"]),
            ]
        )
    ]
)
