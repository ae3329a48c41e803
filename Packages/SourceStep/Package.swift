// swift-tools-version: 6.0
// The source step: rewritten copies of Swift files that were written for Apple's systems (docs/source-step.md).
// A package of its own: nobody builds SwiftSyntax who has no use for it.

import PackageDescription

let syntax: [Target.Dependency] = [
    .product(name: "SwiftSyntax", package: "swift-syntax"), .product(name: "SwiftParser", package: "swift-syntax"),
]
let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "SourceStep",
    products: [
        .library(name: "SourceStep", targets: ["SourceStep"]),
        .executable(name: "exthost-source", targets: ["exthost-source"]),
        .plugin(name: "AppleSource", targets: ["AppleSource"]),
    ],
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1")],
    targets: [
        .target(name: "SourceStep", dependencies: syntax, swiftSettings: strict),
        .executableTarget(name: "exthost-source", dependencies: ["SourceStep"], swiftSettings: strict),
        .plugin(name: "AppleSource", capability: .buildTool(), dependencies: ["exthost-source"]),
        .testTarget(name: "SourceStepTests", dependencies: ["SourceStep"] + syntax, swiftSettings: strict),
    ]
)
