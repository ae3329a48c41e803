// swift-tools-version: 6.2
// exthost-fuse: the files of a file provider extension as a folder of this machine (docs/file-providers.md).
// A package of its own: nobody needs the headers of libfuse who has no use for it.

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// As for the programs of the root package: users need no toolchain. A sanitizer's runtime is no static one.
let within: [LinkerSetting] =
    Context.environment["EXTHOST_SANITIZER"] != nil
    ? []
    : [
        .unsafeFlags([
            "-static-stdlib", "-l_FoundationCollections", "-l_FoundationCShims", "-lCoreFoundation", "-l_FoundationICU",
        ])
    ]

let hosts = Target.Dependency.product(name: "PointHosts", package: "exthost")
let system = Target.Dependency.product(name: "LinuxSystem", package: "exthost")

let package = Package(
    name: "exthost-fuse",
    products: [
        .library(name: "MountedFiles", targets: ["MountedFiles"]),
        .executable(name: "exthost-fuse", targets: ["exthost-fuse"]),
    ],
    dependencies: [
        .package(name: "exthost", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    ],
    targets: [
        // The functions of libfuse3, which are found at run time.
        .target(name: "CFuse"),
        .target(name: "MountedFiles", dependencies: ["CFuse", hosts, system], swiftSettings: strict),
        .executableTarget(
            name: "exthost-fuse",
            dependencies: [
                "MountedFiles", hosts, system, .product(name: "ExtensionHost", package: "exthost"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], swiftSettings: strict, linkerSettings: within),
        // A folder in the place of a provider, and the program that mounts it for a command.
        .target(
            name: "FolderFiles", dependencies: [hosts, system], path: "Tests/Fixtures/FolderFiles",
            swiftSettings: strict),
        .executableTarget(
            name: "MountedFolder", dependencies: ["MountedFiles", "FolderFiles", hosts, system],
            path: "Tests/Fixtures/MountedFolder", swiftSettings: strict),
        .testTarget(
            name: "MountedFilesTests", dependencies: ["MountedFiles", "MountedFolder", "FolderFiles", hosts, system],
            exclude: ["Scripts"], swiftSettings: strict),
    ]
)
