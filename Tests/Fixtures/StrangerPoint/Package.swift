// swift-tools-version: 6.2
// An extension point of one's own: its three modules, an extension, and an app that calls it.

import PackageDescription

/// The folder of exthostd's package.
let exthost = Context.environment["EXTHOST"] ?? "/path/to/exthost"

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "exthost") }

/// The compiler then accepts members of imported modules only, so no module is used without being named.
let settings: [SwiftSetting] = [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "StampPoint",
    dependencies: [.package(name: "exthost", path: exthost)],
    targets: [
        .target(name: "StampMessages", dependencies: [product("ExtensionPointKit")], swiftSettings: settings),
        .target(
            name: "StampKit", dependencies: ["StampMessages", product("PointFrameworkKit")],
            swiftSettings: settings),
        .target(
            name: "StampHost", dependencies: ["StampMessages", product("ExtensionHost")], swiftSettings: settings),
        .executableTarget(
            name: "RedStamp", dependencies: ["StampKit", product("ExtensionFoundation")], exclude: ["Info.plist"],
            swiftSettings: settings),
        .executableTarget(
            name: "StampDesk", dependencies: ["StampHost", product("ExtensionHost")], exclude: ["Info.plist"],
            swiftSettings: settings),
    ])
