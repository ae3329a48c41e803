// swift-tools-version: 6.2
// Benchmarks, apart from the main graph: swift build -c release --package-path Tests/Benchmarks

import PackageDescription

let package = Package(
    name: "exthost-benchmarks",
    dependencies: [.package(name: "exthost", path: "../..")],
    targets: [
        .executableTarget(
            name: "EchoExtension", dependencies: [.product(name: "ExtensionFoundation", package: "exthost")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "RequestBench",
            dependencies: [
                .product(name: "ExtensionHostTesting", package: "exthost"), .product(name: "exthostd", package: "exthost"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
