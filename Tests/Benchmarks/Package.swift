// swift-tools-version: 6.2
// Benchmarks, apart from the main graph; Scripts/bench builds and runs them.

import PackageDescription

/// One extension, linked in three ways. The compiler, which is not told, names Foundation for the linker, and not what
/// that stands on.
let foundation = [
    "-l_FoundationCollections", "-l_FoundationCShims", "-lCoreFoundation", "-l_FoundationICU", "-lstdc++",
]

func echo(_ name: String, _ flags: [String] = []) -> Target {
    .executableTarget(
        name: name, dependencies: ["Echo"], swiftSettings: [.swiftLanguageMode(.v6)],
        linkerSettings: flags.isEmpty ? [] : [.unsafeFlags(flags + foundation)])
}

let package = Package(
    name: "exthost-benchmarks",
    dependencies: [.package(name: "exthost", path: "../..")],
    targets: [
        .target(
            name: "EchoCalls", dependencies: [.product(name: "ExtensionPointKit", package: "exthost")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .target(
            name: "Echo",
            dependencies: [
                "EchoCalls", .product(name: "ExtensionFoundation", package: "exthost"),
                .product(name: "PointFrameworkKit", package: "exthost"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        echo("EchoDynamic"), echo("EchoStdlib", ["-static-stdlib"]), echo("EchoStatic", ["-static-executable"]),
        // The sample, by a link to its folder.
        .executableTarget(
            name: "EchoTunnel",
            dependencies: [
                .product(name: "ExtensionFoundation", package: "exthost"),
                .product(name: "NetworkExtension", package: "exthost"),
            ],
            exclude: ["Info.plist", "Entitlements.plist"], swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "RequestBench",
            dependencies: [
                "EchoCalls",
                .product(name: "ExtensionHostTesting", package: "exthost"),
                .product(name: "exthostd", package: "exthost"),
                .product(name: "exthost-init", package: "exthost"),
                .product(name: "exthost-netns", package: "exthost"),
                .product(name: "exthost-pagehost", package: "exthost"),
                .product(name: "PointHosts", package: "exthost"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
