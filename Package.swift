// swift-tools-version: 6.2
// The package as docs/architecture.md draws it: arrows between targets point down only.

import PackageDescription

let isDependency = Context.packageDirectory.contains("/checkouts/")

/// The compiler takes files in batches. For each batch it reads the whole module and expands its macros, which takes 2
/// to 5 s of processor time for a large module. A batch has 25 files by default, and up to 100 here.
///
/// The first jobs that import Swift's own modules would write the index of those, each for itself: 3 to 4 s for the
/// standard library, and as much for Foundation. The modules of an author's package write it in any case.
let cheaper: [SwiftSetting] =
    isDependency
    ? []
    : [
        .unsafeFlags(
            ["-driver-batch-size-limit", "100", "-index-ignore-system-modules"], .when(configuration: .debug))
    ]

let strict: [SwiftSetting] =
    cheaper + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
    ]

/// Authors' code of Swift 5 may use a view off the main thread. UIKit says so once and goes on, as Apple's checker
/// does. The checks that Swift 6 makes in closures of UIKit, and of modules on it, would end the process.
let views: [SwiftSetting] =
    strict + (isDependency ? [] : [.unsafeFlags(["-Xfrontend", "-disable-dynamic-actor-isolation"])])

/// The model's explorers take millions of steps, so debug builds optimize the model and its tests, too. That takes
/// 100 s of processor time from the tests.
let stepped: [SwiftSetting] = strict + (isDependency ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))])

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, resources: [Resource]? = nil,
    settings: [SwiftSetting]? = nil
) -> Target {
    let hasViews = dependencies.contains { if case .byNameItem(name: "UIKit", _) = $0 { true } else { false } }
    return .target(
        name: name, dependencies: dependencies, path: path, resources: resources,
        swiftSettings: settings ?? (hasViews ? views : strict))
}

func program(
    _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, exclude: [String] = [],
    linkerSettings: [LinkerSetting] = []
) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: path, exclude: exclude, swiftSettings: strict,
        linkerSettings: linkerSettings)
}

/// A sample extension: the author's file, its entry point, its `Info.plist` (put in place by `Scripts/bundle-samples`).
func sample(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    program(
        name, ["ExtensionFoundation", "UniformTypeIdentifiers"] + dependencies, path: "Sources/Samples/\(name)",
        exclude: ["Info.plist"])
}

/// What lies beside a sample's source for its bundle.
let bundled = ["Info.plist", "Entitlements.plist"]

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], settings: [SwiftSetting] = strict
) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

/// `exthost-init` uses nothing of Swift's runtime. Linked without it, and with nothing else to look for, it starts in
/// 0.4 ms instead of 2.9, and each launch with it. The flags are "unsafe", which a package that somebody depends on may
/// not have; and a sanitizer's runtime is no static one (`Scripts/test` says so by the variable).
let isSanitized = Context.environment["EXTHOST_SANITIZER"] != nil
let alone: [LinkerSetting] = isDependency || isSanitized ? [] : [.unsafeFlags(["-nostartfiles", "-static-executable"])]

/// The programs that are installed have Swift's libraries within: whoever runs them needs no toolchain, and to find and
/// bind those libraries took 9 of the 12 ms that a private daemon needs to its first answer. The compiler, which is not
/// told, names the libraries themselves for the linker, and not those that they stand on.
let within: [LinkerSetting] =
    isDependency || isSanitized
    ? []
    : [
        .unsafeFlags([
            "-static-stdlib", "-l_FoundationCollections", "-l_FoundationCShims", "-lCoreFoundation", "-l_FoundationICU",
        ])
    ]

/// A program that has even the C library within, as `exthostctl bundle --static` makes it. The usual linker warns of each
/// call that needs files of the C library; this one does not.
let wholly: [LinkerSetting] =
    isDependency || isSanitized
    ? []
    : [
        .unsafeFlags([
            "-static-executable", "-use-ld=lld", "-l_FoundationCollections", "-l_FoundationCShims", "-lCoreFoundation",
            "-l_FoundationICU", "-lstdc++",
        ])
    ]

let package = Package(
    name: "exthost",
    products: [
        .library(name: "ExtensionFoundation", targets: ["ExtensionFoundation"]),
        // The check of a framework before it is loaded.
        .library(name: "FrameworkPreflight", targets: ["FrameworkPreflight"]),
        .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
        // The parts from which the vocabulary of an extension point is made.
        .library(name: "ExtensionPointKit", targets: ["ExtensionPointKit"]),
        // The base of each framework of an extension point.
        .library(name: "PointFrameworkKit", targets: ["PointFrameworkKit"]),
        // The base of each program that provides a service.
        .library(name: "ServiceProgramKit", targets: ["ServiceProgramKit"]),
        .library(name: "UIKit", targets: ["UIKit"]),
        .library(name: "Social", targets: ["Social"]),
        .library(name: "QuartzCore", targets: ["QuartzCore"]),
        .library(name: "CoreGraphics", targets: ["CoreGraphics"]),
        .library(name: "MobileCoreServices", targets: ["MobileCoreServices"]),
        .library(name: "CoreServices", targets: ["CoreServices"]),
        .library(name: "Security", targets: ["Security"]),
        .library(name: "AVKit", targets: ["AVKit"]),
        .library(name: "CoreLocation", targets: ["CoreLocation"]),
        .library(name: "MapKit", targets: ["MapKit"]),
        .library(name: "MediaPlayer", targets: ["MediaPlayer"]),
        .library(name: "ClassKit", targets: ["ClassKit"]),
        .library(name: "CryptoTokenKit", targets: ["CryptoTokenKit"]),
        .library(name: "CoreML", targets: ["CoreML"]),
        .library(name: "SpriteKit", targets: ["SpriteKit"]),
        .library(name: "SceneKit", targets: ["SceneKit"]),
        .library(name: "GameplayKit", targets: ["GameplayKit"]),
        .library(name: "VideoToolbox", targets: ["VideoToolbox"]),
        .library(name: "Metal", targets: ["Metal"]),
        .library(name: "MetalKit", targets: ["MetalKit"]),
        .library(name: "CoreImage", targets: ["CoreImage"]),
        .library(name: "CoreMotion", targets: ["CoreMotion"]),
        .library(name: "Contacts", targets: ["Contacts"]),
        .library(name: "StoreKit", targets: ["StoreKit"]),
        .library(name: "PushKit", targets: ["PushKit"]),
        .library(name: "WatchConnectivity", targets: ["WatchConnectivity"]),
        .library(name: "SystemConfiguration", targets: ["SystemConfiguration"]),
        .library(name: "LocalAuthentication", targets: ["LocalAuthentication"]),
        .library(name: "ImageIO", targets: ["ImageIO"]),
        .library(name: "SafariServices", targets: ["SafariServices"]),
        .library(name: "OSLog", targets: ["OSLog"]),
        .library(name: "ExtensionHost", targets: ["ExtensionHost"]),
        .library(name: "NotificationCenter", targets: ["NotificationCenter"]),
        .library(name: "KeyboardService", targets: ["KeyboardService"]),
        .library(name: "UserNotifications", targets: ["UserNotifications"]),
        .library(name: "UserNotificationsUI", targets: ["UserNotificationsUI"]),
        .library(name: "Intents", targets: ["Intents"]),
        .library(name: "IntentsUI", targets: ["IntentsUI"]),
        .library(name: "IdentityLookup", targets: ["IdentityLookup"]),
        .library(name: "IdentityLookupUI", targets: ["IdentityLookupUI"]),
        .library(name: "CallKit", targets: ["CallKit"]),
        .library(name: "Messages", targets: ["Messages"]),
        .library(name: "QuickLook", targets: ["QuickLook"]),
        .library(name: "QuickLookUI", targets: ["QuickLookUI"]),
        .library(name: "QuickLookThumbnailing", targets: ["QuickLookThumbnailing"]),
        .library(name: "AuthenticationServices", targets: ["AuthenticationServices"]),
        .library(name: "Photos", targets: ["Photos"]),
        .library(name: "PhotosUI", targets: ["PhotosUI"]),
        .library(name: "CoreSpotlight", targets: ["CoreSpotlight"]),
        .library(name: "DocumentPickerService", targets: ["DocumentPickerService"]),
        .library(name: "FileProvider", targets: ["FileProvider"]),
        .library(name: "FileProviderUI", targets: ["FileProviderUI"]),
        .library(name: "AudioToolbox", targets: ["AudioToolbox"]),
        .library(name: "CoreAudioTypes", targets: ["CoreAudioTypes"]),
        .library(name: "CoreAudioKit", targets: ["CoreAudioKit"]),
        .library(name: "CoreMedia", targets: ["CoreMedia"]),
        .library(name: "CoreVideo", targets: ["CoreVideo"]),
        .library(name: "ReplayKit", targets: ["ReplayKit"]),
        .library(name: "AVFoundation", targets: ["AVFoundation"]),
        .library(name: "NetworkExtension", targets: ["NetworkExtension"]),
        .library(name: "BackgroundTransfers", targets: ["BackgroundTransfers"]),
        .library(name: "PointHosts", targets: ["PointHosts"]),
        // Descriptors and processes, for the programs of packages beside this one.
        .library(name: "LinuxSystem", targets: ["LinuxSystem"]),
        .library(name: "ExtensionHostTesting", targets: ["ExtensionHostTesting"]),
        .library(name: "ExtensionHostTestingSupport", targets: ["ExtensionHostTestingSupport"]),
        .library(name: "ExtensionHostXCTest", targets: ["ExtensionHostXCTest"]),
        .plugin(name: "BundleExtensions", targets: ["BundleExtensions"]),
        .executable(name: "exthostd", targets: ["exthostd"]),
        .executable(name: "exthostctl", targets: ["exthostctl"]),
        .executable(name: "exthost-init", targets: ["exthost-init"]),
        .executable(name: "exthost-netns", targets: ["exthost-netns"]),
        .executable(name: "exthost-replay", targets: ["exthost-replay"]),
        .executable(name: "exthost-images", targets: ["exthost-images"]),
        .executable(name: "exthost-pagehost", targets: ["exthost-pagehost"]),
        .executable(name: "exthost-transferd", targets: ["exthost-transferd"]),
        .executable(name: "exthost-ibus", targets: ["exthost-ibus"]),
        // A sample's framework.
        .library(name: "PostcardKit", type: .dynamic, targets: ["PostcardKit"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    ],
    targets: [
        // The system, and what stands directly on it.
        .target(name: "CLinux"),
        .target(name: "CSystemCallFilter"),
        // Synchronization, with another Mutex in builds for the thread sanitizer.
        library("Locks"),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "CSystemdShims", dependencies: ["CSystemd"]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        library("SQLite", ["CSQLite"]),
        // The index of Spotlight: its queries, and its file.
        library("SpotlightStore", ["PropertyListCoding", "SQLite"]),
        // Of LinuxSystem, which exports it, what an extension needs: whoever builds one builds no more.
        library("LinuxDescriptors", ["Locks", "CLinux"]),
        library("LinuxSystem", ["LinuxDescriptors", "CLinux"]),
        library("SourceStamps", ["LinuxSystem"]),
        library("PropertyListCoding"),
        library("EventLoop", ["Locks", "LinuxSystem", "CSystemd", "CSystemdShims"]),

        // The wire.
        // Of ExtensionProtocol, which exports it, what an extension says and hears.
        library("ExtensionWire", ["PropertyListCoding"]),
        library("ExtensionProtocol", ["ExtensionWire", "PropertyListCoding"]),
        library("ExtensionConnection", ["Locks", "ExtensionWire", "PropertyListCoding", "LinuxDescriptors"]),

        // What travels on it.
        library("UniformTypeIdentifiers", ["Locks"]),
        library("ActivationRules", ["UniformTypeIdentifiers", "PropertyListCoding"]),
        library(
            "ExtensionItems",
            ["Locks", "UniformTypeIdentifiers", "ExtensionWire", "PropertyListCoding", "LinuxDescriptors", "CLinux"]),
        // Calls between the two sides of a request, for both kits.
        library(
            "ExtensionPointKit",
            [
                "Locks", "ExtensionItems", "ExtensionConnection", "ExtensionWire", "PropertyListCoding",
                "LinuxDescriptors",
            ]),

        // The vocabularies of extension points.
        library("PointMessages", ["ExtensionPointKit", "LinuxDescriptors", "PropertyListCoding"]),

        // Background transfers: the vocabulary of their service, the service, and its clients.
        library("TransferMessages", ["ExtensionPointKit"]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .target(name: "CCurlShims", dependencies: ["CCurl"]),
        library(
            "TransferService",
            [
                "CCurl", "CCurlShims", "CLinux", "ExtensionPointKit", "ExtensionWire", "LinuxDescriptors",
                "LinuxSystem",
                "Locks", "PropertyListCoding", "SQLite", "TransferMessages",
            ]),

        library(
            "BackgroundTransfers",
            [
                "AppGroups", "ExtensionItems", "ExtensionPointKit", "LinuxDescriptors", "Locks", "TransferMessages",
            ]),

        // The engine.
        library("EventLog", ["ExtensionProtocol", "EventLoop", logging]),
        // The points' property lists become part of the program: no file to find at run time, and no Foundation to find
        // it with.
        library(
            "ExtensionPoints", ["Locks", "PropertyListCoding", "LinuxSystem", "ExtensionProtocol"],
            resources: [.embedInCode("Resources"), .embedInCode("Profiles")]),
        library(
            "ExtensionRegistry",
            [
                "Locks", "SQLite", "ActivationRules", "ExtensionPoints", "UniformTypeIdentifiers", "PropertyListCoding",
                "LinuxSystem",
                "ExtensionProtocol",
            ]),
        // ELF files, for lint and for programs that load frameworks.
        library("ELF", ["LinuxDescriptors"]),
        library(
            "BundleLint",
            [
                "ELF", "ExtensionRegistry", "ExtensionPoints", "ActivationRules", "UniformTypeIdentifiers",
                "ExtensionProtocol",
                "PropertyListCoding", "LinuxSystem",
            ]),
        library(
            "Bundling",
            [
                "BundleLint", "ExtensionRegistry", "ExtensionPoints", "ExtensionProtocol", "PropertyListCoding",
                "SourceStamps",
                "LinuxSystem",
            ],
            // A new extension in Python gets the sample's.
            resources: [.embedInCode("Resources")]),
        library("ExtensionHostModel", ["ExtensionProtocol", "LinuxSystem"], settings: stepped),
        library(
            "ExtensionHostDaemon",
            [
                "Locks", "ExtensionHostModel", "ExtensionRegistry", "ActivationRules", "ExtensionPoints",
                "ExtensionConnection",
                "ExtensionProtocol", "EventLog",
                "EventLoop", "LinuxSystem", "PropertyListCoding", "UniformTypeIdentifiers", logging,
            ]),

        // The kits.
        .target(name: "CHostMark"),
        .target(name: "CMainQueue"),
        .target(name: "CLoading"),
        library("AppGroups", ["Locks", "ExtensionWire", "PropertyListCoding", "LinuxDescriptors"]),
        library(
            "ExtensionFoundation",
            [
                "Locks", "CMainQueue", "CLoading", "AppGroups", "ExtensionItems", "ExtensionConnection",
                "ExtensionWire", "PropertyListCoding", "LinuxDescriptors",
            ]),
        library("FrameworkPreflight", ["CLoading", "ELF", "ExtensionWire", "LinuxDescriptors"]),
        // Core Foundation's names, for the modules whose sources use them.
        library("CoreFoundationNames"),
        // Image files, by libraries that are loaded at run time. Small, because UIKit builds it.
        .target(name: "CImageCodecs"),
        library("ImageCodecs", ["CImageCodecs"]),
        // The confinement and the answers of exthost-images, which decodes for hosts.
        .target(name: "CImageConfinement", dependencies: ["CSystemCallFilter"]),
        library("ImageAnswers", ["ImageCodecs"]),
        // Swift Testing has an overlay for a module called UIKit, which Linux's toolchain does not bring: without one
        // no file could import both.
        library("_Testing_UIKit"),
        library(
            "UIKit",
            [
                "AppGroups", "CoreFoundationNames", "Locks", "ExtensionFoundation", "UniformTypeIdentifiers",
                "ExtensionConnection", "ExtensionWire", "PropertyListCoding", "LinuxDescriptors", "ImageCodecs",
                "_Testing_UIKit",
            ], settings: views),
        library("Social", ["UIKit", "ExtensionFoundation", "ExtensionWire"]),
        library("MobileCoreServices", ["CoreFoundationNames", "UniformTypeIdentifiers"]),
        // The keychain.
        library(
            "Security",
            ["AppGroups", "CoreFoundationNames", "ExtensionWire", "LinuxDescriptors", "PropertyListCoding"]),
        library("LocalAuthentication"),
        // The answers of a device that has no such service.
        library("CoreLocation"),
        library("MapKit", ["CoreLocation", "UIKit"]),
        library("MediaPlayer", ["UIKit"]),
        library("CoreMotion"),
        library("Contacts"),
        library("StoreKit"),
        library("PushKit"),
        library("WatchConnectivity"),
        library("SystemConfiguration", ["Locks"]),
        // Films and sounds that nothing plays, for the modules that have them under Apple's names.
        library("AVPlayback", ["CoreMedia"]),
        library("AVKit", ["AVFoundation", "UIKit"]),
        library("ImageIO", ["CoreFoundationNames", "ImageCodecs", "Locks", "UIKit"]),
        // The names of a graphics processor, of which there is none, and the filters of images on this one.
        library("Metal"),
        library("MetalKit", ["Metal", "UIKit"]),
        library("_Testing_CoreImage"),
        library(
            "CoreImage",
            ["CoreVideo", "ExtensionFoundation", "ImageCodecs", "ImageIO", "Metal", "UIKit", "_Testing_CoreImage"]),
        // The names of two points that are not simulated.
        library("ClassKit", ["ExtensionFoundation"]),
        library("CryptoTokenKit", ["ExtensionFoundation"]),
        // Scenes that nothing draws, models that nothing runs, and films that nothing encodes.
        library("SpriteKit", ["UIKit"]),
        library("SceneKit", ["UIKit"]),
        library("GameplayKit"),
        library("CoreML", ["CoreVideo"]),
        library("VideoToolbox", ["CoreMedia", "CoreVideo"]),
        // Modules under Apple's names for what UIKit has of them. The second overlay is there for the same reason as
        // the first.
        library("QuartzCore", ["UIKit"]),
        library("_Testing_CoreGraphics"),
        library("CoreGraphics", ["UIKit", "_Testing_CoreGraphics"]),
        library("CoreServices", ["MobileCoreServices"]),
        library(
            "SafariServices", ["Locks", "ExtensionFoundation", "ExtensionPointKit", "ExtensionWire", "PointMessages"]),
        // The base of each framework of an extension point.
        library(
            "PointFrameworkKit",
            [
                "Locks", "ExtensionFoundation", "ExtensionPointKit", "ExtensionItems", "ExtensionConnection",
                "ExtensionWire", "LinuxDescriptors",
            ]),
        // The base of each program that provides a service.
        library(
            "ServiceProgramKit",
            [
                "ExtensionConnection", "ExtensionFoundation", "ExtensionItems", "ExtensionPointKit", "ExtensionWire",
                "LinuxDescriptors",
            ]),
        // The frameworks of extension points.
        library(
            "UserNotifications",
            [
                "Locks", "ExtensionFoundation", "PointFrameworkKit", "ExtensionPointKit", "PointMessages", "AppGroups",
                "UniformTypeIdentifiers", "LinuxDescriptors", "PropertyListCoding",
            ]),
        library(
            "UserNotificationsUI",
            [
                "Locks", "UIKit", "UserNotifications", "ExtensionFoundation", "PointFrameworkKit", "ExtensionPointKit",
                "ExtensionWire", "PointMessages",
            ]),
        library(
            "QuickLook",
            [
                "QuickLookThumbnailing", "UIKit", "ExtensionFoundation", "ExtensionPointKit", "ExtensionWire",
                "PointFrameworkKit", "PointMessages", "UniformTypeIdentifiers",
            ]),
        library("QuickLookUI", ["QuickLook"]),
        library(
            "Messages",
            [
                "UIKit", "ExtensionFoundation", "ExtensionPointKit", "ExtensionWire", "ImageCodecs", "Locks",
                "PointFrameworkKit", "PointMessages",
            ]),
        library(
            "QuickLookThumbnailing",
            [
                "UIKit", "ExtensionFoundation", "ExtensionPointKit", "ExtensionWire", "PointFrameworkKit",
                "PointMessages",
            ]),
        library(
            "Intents",
            [
                "ExtensionFoundation", "ExtensionPointKit", "ExtensionWire", "Locks", "PointFrameworkKit",
                "PointMessages", "UserNotifications",
            ]),
        library(
            "IntentsUI",
            [
                "ExtensionFoundation", "ExtensionPointKit", "ExtensionWire", "Intents", "Locks", "PointFrameworkKit",
                "PointMessages", "UIKit",
            ]),
        library(
            "CallKit",
            [
                "ExtensionFoundation", "ExtensionPointKit", "ExtensionWire", "Locks", "PointFrameworkKit",
                "PointMessages",
            ]),
        library(
            "AuthenticationServices",
            [
                "Locks", "UIKit", "ExtensionFoundation", "PointFrameworkKit", "ExtensionPointKit", "ExtensionWire",
                "PointMessages",
            ]),
        library(
            "IdentityLookup",
            ["ExtensionFoundation", "ExtensionPointKit", "ExtensionWire", "PointFrameworkKit", "PointMessages"]),
        library(
            "IdentityLookupUI",
            [
                "Locks", "UIKit", "ExtensionFoundation", "PointFrameworkKit", "ExtensionPointKit", "ExtensionWire",
                "IdentityLookup", "PointMessages",
            ]),
        library(
            "NotificationCenter",
            [
                "Locks", "UIKit", "ExtensionFoundation", "PointFrameworkKit", "ExtensionPointKit", "ExtensionWire",
                "PointMessages",
            ]),
        library(
            "KeyboardService",
            [
                "Locks", "UIKit", "ExtensionFoundation", "PointFrameworkKit", "ExtensionPointKit", "ExtensionWire",
                "PointMessages",
            ]),
        library(
            "DocumentPickerService",
            [
                "UIKit", "ExtensionFoundation", "PointFrameworkKit", "ExtensionPointKit", "ExtensionWire",
                "LinuxDescriptors", "PointMessages",
            ]),
        library(
            "FileProviderUI",
            [
                "FileProvider", "Locks", "UIKit", "ExtensionFoundation", "PointFrameworkKit", "ExtensionPointKit",
                "ExtensionWire", "PointMessages",
            ]),
        library(
            "Photos",
            [
                "AVPlayback", "CoreLocation", "Locks", "UIKit", "ImageCodecs", "PointMessages",
                "UniformTypeIdentifiers",
            ]),
        library(
            "PhotosUI",
            [
                "Locks", "Photos", "UIKit", "ExtensionFoundation", "PointFrameworkKit", "ExtensionPointKit",
                "ExtensionWire", "LinuxDescriptors", "PointMessages",
            ]),
        library(
            "CoreSpotlight",
            [
                "AppGroups", "ExtensionConnection", "ExtensionFoundation", "ExtensionItems", "ExtensionPointKit",
                "ExtensionWire", "LinuxDescriptors", "Locks", "PointFrameworkKit", "PointMessages",
                "PropertyListCoding", "UniformTypeIdentifiers",
            ]),
        library(
            "FileProvider",
            [
                "AppGroups", "ExtensionFoundation", "ExtensionItems", "ExtensionPointKit", "ExtensionWire", "Locks",
                "PointFrameworkKit", "PointMessages", "PropertyListCoding", "UniformTypeIdentifiers",
            ]),
        // Samples of sound and of video, as audio units and broadcasts have them.
        library("CoreAudioTypes", ["CoreFoundationNames"]),
        library("CoreVideo", ["CoreFoundationNames", "Locks"]),
        library("CoreMedia", ["CoreAudioTypes", "CoreVideo", "Locks"]),
        library(
            "ReplayKit",
            [
                "AppGroups", "CoreMedia", "CoreVideo", "ExtensionFoundation", "ExtensionPointKit", "ExtensionWire",
                "Locks", "PointFrameworkKit", "PointMessages", "PropertyListCoding", "UIKit",
            ]),
        library(
            "AudioToolbox",
            [
                "AppGroups", "CoreAudioTypes", "CoreFoundationNames", "ExtensionFoundation", "ExtensionPointKit",
                "LinuxDescriptors", "Locks", "PointFrameworkKit", "PointMessages", "PropertyListCoding",
            ]),
        library("CoreAudioKit", ["AudioToolbox", "ExtensionPointKit", "PointFrameworkKit", "PointMessages", "UIKit"]),
        // Under Apple's name, the part of it that sources of audio units use, and players.
        library("AVFoundation", ["AudioToolbox", "AVPlayback", "CoreMedia", "CoreVideo"]),
        // The bytes of a proxy's flows, on both sides.
        library("FlowChannels", ["Locks", "PointMessages"]),
        library(
            "NetworkExtension",
            [
                "AppGroups", "ExtensionFoundation", "ExtensionItems", "ExtensionPointKit", "ExtensionWire",
                "FlowChannels", "LinuxDescriptors", "Locks", "PointFrameworkKit", "PointMessages",
                "PropertyListCoding",
            ]),
        // Not named os: packages look for that by canImport, and take locks from it.
        library("OSLog"),
        library(
            "ExtensionHost",
            [
                "Locks", "CHostMark", "ExtensionPointKit", "ExtensionItems", "ExtensionConnection", "ExtensionProtocol",
                "PropertyListCoding", "LinuxSystem",
            ]),
        // The rules of content blockers: values only.
        library("ContentRules"),
        // The host halves of extension points.
        library(
            "PointHosts",
            [
                "ActivationRules", "ContentRules", "ExtensionHost", "ExtensionItems", "ExtensionPointKit",
                "ExtensionProtocol", "FlowChannels", "ImageAnswers", "ImageCodecs", "LinuxDescriptors", "LinuxSystem",
                "Locks", "PageMessages", "PointMessages", "PropertyListCoding", "SQLite", "SpotlightStore",
                "TransferMessages",
                "UniformTypeIdentifiers",
            ]),
        // Web pages: the engines of exthost-pagehost, and what it exchanges with hosts.
        library("PageMessages", ["ExtensionPointKit", "ExtensionItems", "PropertyListCoding"]),
        .target(name: "CPageEngines", dependencies: ["CSystemCallFilter"]),
        library(
            "PageEngines", ["CPageEngines", "PageMessages", "LinuxDescriptors", "LinuxSystem", "PropertyListCoding"],
            resources: [.embedInCode("JavaScript")]),
        library("LogChecker", ["ExtensionProtocol"]),
        // Scenario files, and reports of what became of their tests: values only.
        library("Scenarios", ["ExtensionProtocol"]),
        library("Transcripts", ["Locks", "ExtensionProtocol", "PropertyListCoding", "LinuxSystem"]),
        library(
            "ExtensionHostTesting",
            [
                "Locks", "ExtensionHost", "LogChecker", "Transcripts", "ExtensionConnection", "ExtensionProtocol",
                "ExtensionItems", "TransferMessages",
                "PropertyListCoding", "SourceStamps", "LinuxSystem",
            ]),
        // On a test framework each: for the test targets of authors.
        library("ExtensionHostTestingSupport", ["Locks", "ExtensionHostTesting", "LinuxSystem"]),
        library("ExtensionHostXCTest", ["ExtensionHostTesting", "LinuxSystem"]),

        // The programs.
        .executableTarget(name: "exthost-init", dependencies: ["CSystemCallFilter"], linkerSettings: alone),
        // exthostctl's hosts execute it.
        .executableTarget(name: "exthost-netns", linkerSettings: alone),
        program(
            "exthost-replay", ["Transcripts", "ExtensionProtocol", "PropertyListCoding", "LinuxSystem"],
            linkerSettings: within),
        // exthostctl's hosts execute it.
        program(
            "exthost-images", ["CImageConfinement", "ImageAnswers", "ImageCodecs"], linkerSettings: within),
        // exthostctl's hosts execute it, too.
        program("exthost-pagehost", ["PageEngines", "PageMessages", "LinuxDescriptors"], linkerSettings: within),
        // exthostd executes it when a client first opens the service of background transfers.
        program(
            "exthost-transferd",
            [
                "ExtensionFoundation", "ExtensionItems", "ExtensionPointKit", "ExtensionWire", "LinuxDescriptors",
                "Locks", "ServiceProgramKit", "TransferMessages", "TransferService",
            ], linkerSettings: within),
        // exthostd executes exthost-init: whoever builds the one has the other beside it. A target of Swift would be
        // linked into exthostd with all that it uses, so exthost-transferd is built by whoever builds its product.
        program(
            "exthostd",
            [
                "exthost-init", "ExtensionHostDaemon", "ExtensionRegistry", "ExtensionPoints", "ExtensionProtocol",
                "EventLoop", "Locks", "LinuxSystem", "PropertyListCoding", argumentParser, logging,
            ], linkerSettings: within),
        program(
            "exthostctl",
            [
                "exthost-images", "exthost-netns", "exthost-pagehost", "ImageCodecs", "ContentRules",
                "Locks", "ExtensionHostTesting", "ExtensionHost", "PointHosts", "PointMessages", "PageMessages",
                "TransferMessages",
                "LogChecker",
                "Transcripts",
                "ExtensionItems", "ExtensionPointKit",
                "ExtensionProtocol",
                "ActivationRules",
                "BundleLint", "Bundling", "ExtensionRegistry", "ExtensionPoints", "LinuxSystem", "PropertyListCoding",
                "Scenarios", "SourceStamps", "SpotlightStore", argumentParser,
            ], linkerSettings: within),
        // Keyboards in desktop programs.
        library(
            "IBusEngine",
            [
                "EventLoop", "ExtensionHost", "ExtensionProtocol", "LinuxSystem", "Locks", "PointHosts",
                "PointMessages", "PropertyListCoding",
            ]),
        program(
            "exthost-ibus",
            ["EventLoop", "ExtensionHost", "ExtensionProtocol", "IBusEngine", "LinuxSystem", argumentParser],
            linkerSettings: within),
        .plugin(
            name: "BundleExtensions",
            capability: .command(
                intent: .custom(
                    verb: "bundle-extensions", description: "Make the .app with its .appex (exthostctl bundle)"),
                permissions: [
                    .writeToPackageDirectory(reason: "The app goes to .build/bundles, a missing main to its target")
                ])),
        sample("ShareLink"), sample("ShareLater", ["Locks"]), sample("CancelWithError"), sample("Crash"),
        sample("Hang"),
        program(
            "SealedNote", ["ExtensionFoundation", "UserNotifications"], path: "Sources/Samples/SealedNote",
            exclude: ["Info.plist"]),
        program(
            "KnownCallers", ["CallKit"], path: "Sources/Samples/KnownCallers", exclude: ["Info.plist", "numbers.json"]),
        program("PaperPlane", ["Intents"], path: "Sources/Samples/PaperPlane", exclude: ["Info.plist"]),
        program("PaperPlaneView", ["IntentsUI"], path: "Sources/Samples/PaperPlaneView", exclude: ["Info.plist"]),
        program(
            "KeyRing", ["AuthenticationServices", "ExtensionFoundation"], path: "Sources/Samples/KeyRing/KeyRing",
            exclude: ["Info.plist", "ring.json"]),
        program(
            "KeyRingApp", ["AuthenticationServices", "UIKit"], path: "Sources/Samples/KeyRing/KeyRingApp",
            exclude: ["Info.plist"]),
        program("Brightness", ["ReplayKit"], path: "Sources/Samples/Brightness", exclude: ["Info.plist"]),
        program("GoLive", ["ReplayKit"], path: "Sources/Samples/GoLive", exclude: ["Info.plist"]),
        program("QuietText", ["IdentityLookup"], path: "Sources/Samples/QuietText", exclude: ["Info.plist"]),
        program(
            "SpamReport", ["ExtensionFoundation", "IdentityLookupUI", "UIKit"], path: "Sources/Samples/SpamReport",
            exclude: ["Info.plist"]),
        program(
            "Invitation", ["ExtensionFoundation", "UIKit", "UserNotificationsUI"], path: "Sources/Samples/Invitation",
            exclude: ["Info.plist"]),
        program(
            "Sepia", ["ExtensionFoundation", "PhotosUI", "UIKit"], path: "Sources/Samples/Sepia",
            exclude: ["Info.plist"]),
        program(
            "QuietPages", ["SafariServices"], path: "Sources/Samples/QuietPages",
            exclude: ["Info.plist", "blockerList.json"]),
        program(
            "ListFilter", ["NetworkExtension"], path: "Sources/Samples/ListFilter", exclude: bundled + ["list.json"]),
        program("ListKeeper", ["NetworkExtension"], path: "Sources/Samples/ListKeeper", exclude: bundled),
        program("NoteIndex", ["CoreSpotlight"], path: "Sources/Samples/NoteIndex", exclude: ["Info.plist"]),
        program(
            "PaperThumbnails", ["QuickLookThumbnailing"], path: "Sources/Samples/PaperThumbnails",
            exclude: ["Info.plist"]),
        program("PaperPreview", ["QuickLook"], path: "Sources/Samples/PaperPreview", exclude: ["Info.plist"]),
        program("TableData", ["QuickLook"], path: "Sources/Samples/TableData", exclude: ["Info.plist"]),
        program("CoinFlip", ["Messages"], path: "Sources/Samples/CoinFlip", exclude: ["Info.plist"]),
        program("RecipeReader", ["CoreSpotlight"], path: "Sources/Samples/RecipeReader", exclude: ["Info.plist"]),
        program("EchoTunnel", ["NetworkExtension"], path: "Sources/Samples/EchoTunnel", exclude: bundled),
        program(
            "LocalNames", ["NetworkExtension"], path: "Sources/Samples/LocalNames", exclude: bundled + ["names.json"]),
        program("Greeter", ["NetworkExtension"], path: "Sources/Samples/Greeter", exclude: bundled),
        program("Shelf", ["FileProvider"], path: "Sources/Samples/Shelf", exclude: ["Info.plist"]),
        program(
            "StorageFiles", ["DocumentPickerService", "ExtensionFoundation", "UIKit"],
            path: "Sources/Samples/StorageFiles",
            exclude: ["Info.plist"]),
        program(
            "FileDetails", ["ExtensionFoundation", "FileProviderUI", "UIKit"], path: "Sources/Samples/FileDetails",
            exclude: ["Info.plist"]),
        program("Mellow", ["AVFoundation", "AudioToolbox"], path: "Sources/Samples/Mellow", exclude: ["Info.plist"]),
        program("Chime", ["AVFoundation", "AudioToolbox"], path: "Sources/Samples/Chime", exclude: ["Info.plist"]),
        program("Hum", ["AVFoundation", "CoreAudioKit"], path: "Sources/Samples/Hum", exclude: ["Info.plist"]),
        program("Releases", ["SafariServices"], path: "Sources/Samples/Releases", exclude: ["Info.plist"]),
        // An app with its extensions.
        program(
            "SaveLink", ["Social", "UIKit", "UniformTypeIdentifiers"], path: "Sources/Samples/ReadingList/SaveLink",
            exclude: bundled),
        program(
            "SaveQuickly", ["UIKit", "UniformTypeIdentifiers"], path: "Sources/Samples/ReadingList/SaveQuickly",
            exclude: bundled),
        program(
            "LastLink", ["NotificationCenter", "UIKit"], path: "Sources/Samples/ReadingList/LastLink",
            exclude: bundled),
        program(
            "Translate", ["UIKit", "UniformTypeIdentifiers"], path: "Sources/Samples/Translate",
            exclude: ["Info.plist", "Page.js"]),
        program(
            "LatinKeys", ["UIKit", "KeyboardService"], path: "Sources/Samples/LatinKeys", exclude: ["Info.plist"]),
        // An app with a framework that it loads, which nothing links to.
        program(
            "PostcardsApp", ["UIKit", "FrameworkPreflight"], path: "Sources/Samples/Postcards/PostcardsApp",
            exclude: ["Info.plist"]),
        program(
            "SharePostcard", ["ExtensionFoundation"], path: "Sources/Samples/Postcards/SharePostcard",
            exclude: ["Info.plist"]),
        .target(
            name: "PostcardKit", path: "Sources/Samples/Postcards/PostcardKit", exclude: ["Info.plist"],
            swiftSettings: strict),
        program("ReadingListApp", ["UIKit"], path: "Sources/Samples/ReadingList/ReadingListApp", exclude: bundled),
        program(
            "DemoHost", ["ExtensionHost", "UniformTypeIdentifiers"], path: "Sources/Samples/DemoHost"),

        // The library by which tests run programs.
        library("TestPrograms", ["ExtensionHostTesting", "LinuxSystem", "Locks"], path: "Tests/Fixtures/TestPrograms"),

        // Extensions and hosts that only tests run.
        program("HostExample", ["ExtensionHost"], path: "Tests/Fixtures/HostExample"),
        program("GroupMember", ["ExtensionFoundation", "LinuxSystem"], path: "Tests/Fixtures/GroupMember"),
        program("KeychainUser", ["LinuxSystem", "Security"], path: "Tests/Fixtures/KeychainUser"),
        // As authors of Swift 5 write it.
        .executableTarget(
            name: "TutorialShare", dependencies: ["ExtensionFoundation"], path: "Tests/Fixtures/TutorialShare",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        .executableTarget(
            name: "TutorialApp", dependencies: ["ExtensionFoundation"], path: "Tests/Fixtures/TutorialApp",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        program("Puppet", ["Locks", "ExtensionFoundation", "ExtensionHost"], path: "Tests/Fixtures/Puppet"),
        .executableTarget(
            name: "Trial", dependencies: ["ExtensionFoundation"], path: "Tests/Fixtures/Trial",
            swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
        library("CallVocabulary", ["ExtensionPointKit"], path: "Tests/Fixtures/CallVocabulary"),
        program(
            "Caller", ["ExtensionFoundation", "PointFrameworkKit", "ExtensionPointKit", "CallVocabulary"],
            path: "Tests/Fixtures/Caller"),
        program(
            "EchoService", ["ServiceProgramKit", "ExtensionPointKit", "CallVocabulary"],
            path: "Tests/Fixtures/EchoService"),
        program(
            "ServiceEcho",
            ["ExtensionFoundation", "ServiceProgramKit", "ExtensionPointKit", "CallVocabulary", "Locks"],
            path: "Tests/Fixtures/ServiceEcho"),
        library("LyingServer", ["LinuxSystem", "Locks"], path: "Tests/Fixtures/LyingServer"),
        program("Fetcher", ["BackgroundTransfers", "ExtensionFoundation"], path: "Tests/Fixtures/Fetcher"),
        program("FetcherApp", ["AppGroups", "BackgroundTransfers", "UIKit"], path: "Tests/Fixtures/FetcherApp"),
        program("Notifier", ["ExtensionFoundation", "Intents", "UserNotifications"], path: "Tests/Fixtures/Notifier"),
        program("Notice", ["ExtensionFoundation", "UserNotificationsUI"], path: "Tests/Fixtures/Notice"),
        program("Typist", ["UIKit", "KeyboardService"], path: "Tests/Fixtures/Typist"),
        program("Widget", ["UIKit", "ExtensionFoundation", "NotificationCenter"], path: "Tests/Fixtures/Widget"),
        program("Provider", ["BackgroundTransfers", "FileProvider"], path: "Tests/Fixtures/Provider"),
        program("Filterer", ["NetworkExtension"], path: "Tests/Fixtures/Filterer"),
        program(
            "FileKeeper", ["ExtensionHost", "LinuxDescriptors", "PointHosts", "PointMessages"],
            path: "Tests/Fixtures/FileKeeper"),
        program("Tunnel", ["Locks", "NetworkExtension"], path: "Tests/Fixtures/Tunnel"),
        program("TunnelApp", ["NetworkExtension", "UIKit"], path: "Tests/Fixtures/TunnelApp"),
        program("Proxier", ["Locks", "NetworkExtension"], path: "Tests/Fixtures/Proxier"),
        program(
            "Indexer", ["CoreSpotlight", "ExtensionPointKit", "PointMessages"], path: "Tests/Fixtures/Indexer"),
        program("Importer", ["CoreSpotlight"], path: "Tests/Fixtures/Importer"),
        program("Looker", ["QuickLook", "QuickLookThumbnailing"], path: "Tests/Fixtures/Looker"),
        program(
            "Chatter", ["Messages", "ExtensionPointKit", "PointFrameworkKit", "PointMessages"],
            path: "Tests/Fixtures/Chatter"),
        program(
            "Picker", ["UIKit", "ExtensionFoundation", "DocumentPickerService", "FileProviderUI"],
            path: "Tests/Fixtures/Picker"),
        program("Blocker", ["SafariServices"], path: "Tests/Fixtures/Blocker"),
        program("CallDirectory", ["CallKit"], path: "Tests/Fixtures/CallDirectory"),
        program(
            "Credentials", ["AuthenticationServices", "ExtensionFoundation"], path: "Tests/Fixtures/Credentials"),
        program("Broadcaster", ["ReplayKit"], path: "Tests/Fixtures/Broadcaster"),
        program("MessageFilter", ["IdentityLookup"], path: "Tests/Fixtures/MessageFilter"),
        program("Reporter", ["ExtensionFoundation", "IdentityLookupUI"], path: "Tests/Fixtures/Reporter"),
        program("Assistant", ["Intents"], path: "Tests/Fixtures/Assistant"),
        program("IntentViews", ["IntentsUI"], path: "Tests/Fixtures/IntentViews"),
        program("Soundbox", ["AVFoundation", "CoreAudioKit"], path: "Tests/Fixtures/Soundbox"),
        // One program, linked in three ways. No test depends on the last two: it would be linked as they are.
        library(
            "LoadTrial", ["CLinux", "UIKit", "ExtensionFoundation", "FrameworkPreflight"],
            path: "Tests/Fixtures/LoadTrial"),
        program("LoadTrialApp", ["LoadTrial"], path: "Tests/Fixtures/LoadTrialApp"),
        program(
            "LoadTrialWithin", ["LoadTrial"], path: "Tests/Fixtures/LoadTrialWithin", linkerSettings: within),
        program(
            "LoadTrialStatic", ["LoadTrial"], path: "Tests/Fixtures/LoadTrialStatic", linkerSettings: wholly),
        program("ImageFacts", ["UIKit"], path: "Tests/Fixtures/ImageFacts"),
        program("Darkroom", ["UIKit", "ExtensionFoundation", "PhotosUI"], path: "Tests/Fixtures/Darkroom"),
        program(
            "LibraryWriter", ["PointHosts", "PointMessages", "LinuxDescriptors"], path: "Tests/Fixtures/LibraryWriter"),
        program(
            "TransferWorker", ["TransferService", "TransferMessages", "ExtensionPointKit", "LinuxDescriptors"],
            path: "Tests/Fixtures/TransferWorker"),
        program("PageTrial", ["PageEngines", "PageMessages"], path: "Tests/Fixtures/PageTrial"),
        program("KillStory", ["Locks", "ExtensionHost"], path: "Tests/Fixtures/KillStory"),
        program("Racer", ["Locks", "ExtensionFoundation"], path: "Tests/Fixtures/Racer"),
        program("Appearance", ["UIKit", "Social"], path: "Tests/Fixtures/Appearance"),
        program(
            "Notebook",
            [
                "AuthenticationServices", "CallKit", "CoreSpotlight", "UIKit", "NotificationCenter", "SafariServices",
                "ExtensionHost",
            ],
            path: "Tests/Fixtures/Notebook"),
        .executableTarget(name: "Hostile", path: "Tests/Fixtures/Hostile"),
        program("Unharmed", path: "Tests/Fixtures/Unharmed"),
        program(
            "HotPaths", ["ActivationRules", "ExtensionRegistry", "PropertyListCoding", "LinuxSystem"],
            path: "Tests/Fixtures/HotPaths"),
        .target(name: "CCrashVFS", dependencies: ["CSQLite"], path: "Tests/Fixtures/CCrashVFS"),
        program(
            "IndexWriter", ["CCrashVFS", "PropertyListCoding", "SpotlightStore"],
            path: "Tests/Fixtures/IndexWriter"),
        program(
            "StoreWriter", ["Locks", "ExtensionRegistry", "ExtensionProtocol", "LinuxSystem", "CCrashVFS"],
            path: "Tests/Fixtures/StoreWriter"),

        // The tests mirror the targets; EndToEndTests drives real processes.
        tests("PropertyListCodingTests", ["PropertyListCoding"]),
        tests("LocksTests", ["Locks"]),
        tests("LinuxSystemTests", ["Locks", "LinuxSystem", "exthost-init", "Hostile", "TestPrograms", "Unharmed"]),
        tests("EventLoopTests", ["Locks", "EventLoop", "LinuxSystem"]),
        tests("ExtensionProtocolTests", ["ExtensionProtocol", "PropertyListCoding"]),
        tests("ScenariosTests", ["Scenarios", "ExtensionProtocol"]),
        tests("LogCheckerTests", ["LogChecker", "ExtensionProtocol"]),
        tests("TranscriptsTests", ["Transcripts", "ExtensionProtocol", "PropertyListCoding", "LinuxSystem"]),
        tests(
            "ExtensionConnectionTests",
            ["Locks", "ExtensionConnection", "ExtensionProtocol", "PropertyListCoding", "LinuxSystem"]),
        tests("UniformTypeIdentifiersTests", ["UniformTypeIdentifiers"]),
        tests(
            "ActivationRulesTests",
            ["ActivationRules", "UniformTypeIdentifiers", "PropertyListCoding", "LinuxSystem", "TestPrograms"],
            exclude: ["Vectors"]),
        tests(
            "ExtensionItemsTests",
            ["Locks", "ExtensionItems", "UniformTypeIdentifiers", "PropertyListCoding", "LinuxSystem", "TestPrograms"]),
        tests(
            "PointMessagesTests",
            [
                "PointMessages", "TransferMessages", "ExtensionItems", "ExtensionPointKit", "ExtensionPoints",
                "LinuxDescriptors", "PropertyListCoding",
            ],
            exclude: ["Golden"]),
        tests("CoreMediaTests", ["CoreMedia"]),
        tests(
            "PointHostsTests",
            [
                "FlowChannels", "Locks", "PointHosts", "PointMessages", "PageMessages", "ExtensionHost",
                "ExtensionProtocol", "ImageAnswers", "ImageCodecs", "LinuxSystem", "NetworkExtension",
                "ExtensionPointKit", "PropertyListCoding", "exthost-netns",
            ]),
        tests(
            "BackgroundTransfersTests",
            [
                "BackgroundTransfers", "TransferService", "TransferMessages", "ExtensionPointKit", "LinuxSystem",
                "Locks",
            ]),
        tests("ContentRulesTests", ["ContentRules"]),
        tests(
            "SpotlightStoreTests",
            ["SpotlightStore", "SQLite", "LinuxSystem", "PropertyListCoding", "IndexWriter", "TestPrograms"]),
        tests(
            "TransferServiceTests",
            [
                "TransferService", "TransferMessages", "ExtensionPointKit", "LinuxSystem", "LyingServer", "Locks",
                "TestPrograms", "TransferWorker",
            ]),
        tests("ImageCodecsTests", ["ImageCodecs"]),
        tests("IBusEngineTests", ["ExtensionProtocol", "IBusEngine", "LinuxSystem", "PointHosts", "PointMessages"]),
        tests(
            "PageEnginesTests",
            ["ContentRules", "PageEngines", "PageMessages", "LinuxSystem", "PageTrial", "PropertyListCoding"]),
        tests("ExtensionPointKitTests", ["ExtensionPointKit", "LinuxDescriptors", "PropertyListCoding"]),
        tests(
            "ExtensionFoundationTests",
            ["Locks", "ExtensionFoundation", "FrameworkPreflight", "LinuxSystem", "TestPrograms"]),
        tests("SafariServicesTests", ["SafariServices"]),
        tests(
            "CoreSpotlightTests",
            ["CoreSpotlight", "ExtensionPointKit", "PointMessages", "PropertyListCoding", "UniformTypeIdentifiers"]),
        tests("OSLogTests", ["OSLog"]),
        tests(
            "UIKitTests",
            [
                "UIKit", "Social", "MobileCoreServices", "UniformTypeIdentifiers", "QuartzCore", "CoreGraphics",
                "ExtensionProtocol",
                "ExtensionFoundation", "ImageCodecs",
            ]),
        tests(
            "AppGroupsTests",
            ["AppGroups", "ExtensionProtocol", "PropertyListCoding", "LinuxSystem", "GroupMember", "TestPrograms"]),
        tests("SecurityTests", ["AppGroups", "KeychainUser", "LinuxSystem", "PropertyListCoding", "Security"]),
        tests(
            "DeviceServicesTests",
            [
                "AVKit", "CallKit", "ClassKit", "Contacts", "CoreLocation", "CoreML", "CoreMotion", "CryptoTokenKit",
                "ExtensionWire", "GameplayKit", "Intents", "IntentsUI", "LocalAuthentication", "MapKit", "MediaPlayer",
                "PushKit", "SceneKit", "SpriteKit", "StoreKit", "SystemConfiguration", "VideoToolbox",
                "WatchConnectivity",
            ]),
        tests(
            "ImageIOTests", ["CoreImage", "CoreVideo", "ImageIO", "ImageCodecs", "LinuxSystem", "MetalKit", "UIKit"]),
        tests("ExtensionPointsTests", ["ExtensionPoints", "PropertyListCoding", "LinuxSystem"]),
        tests(
            "BundleLintTests",
            [
                "BundleLint", "ActivationRules", "ExtensionPoints", "ExtensionProtocol", "ExtensionRegistry",
                "LinuxSystem", "PropertyListCoding", "TestPrograms",
            ]),
        tests("BundlingTests", ["Bundling", "BundleLint", "ExtensionPoints", "PropertyListCoding", "LinuxSystem"]),
        tests("SourceStampsTests", ["SourceStamps", "LinuxSystem"]),
        tests(
            "ExtensionHostModelTests", ["ExtensionHostModel", "ExtensionProtocol", "LinuxSystem"], settings: stepped),
        tests(
            "ExtensionHostDaemonTests",
            [
                "Locks", "ExtensionHostDaemon", "ExtensionHostModel", "ExtensionProtocol", "ExtensionPoints",
                "ExtensionRegistry",
                "UniformTypeIdentifiers",
                "EventLog", "EventLoop", "ExtensionConnection", "LinuxSystem", "PropertyListCoding", "SQLite",
                "StoreWriter", "TestPrograms",
                logging,
            ]),
        // None of the programs that are installed: a test bundle would be linked as they are. All programs are built
        // before tests anyway.
        tests(
            "EndToEndTests",
            [
                "Locks", "ExtensionHostTesting", "ExtensionHostTestingSupport", "ExtensionHostXCTest", "ExtensionHost",
                "ExtensionItems",
                "ExtensionProtocol", "ExtensionConnection", "CSystemd", "EventLoop",
                "Transcripts",
                "PropertyListCoding", "LinuxSystem", "UniformTypeIdentifiers", "ExtensionPoints",
                "TutorialShare", "TutorialApp", "ShareLink", "ShareLater", "QuietText", "MessageFilter", "KnownCallers",
                "SpamReport", "Reporter",
                "PaperPlane", "PaperPlaneView", "Assistant", "IntentViews",
                "Brightness", "GoLive", "Broadcaster",
                "CallDirectory",
                "KeyRing", "KeyRingApp", "Credentials",
                "CancelWithError", "Crash",
                "Hang", "DemoHost", "Puppet", "SaveLink", "SaveQuickly", "LastLink", "ReadingListApp", "Translate",
                "SealedNote", "Invitation", "Notice",
                "Appearance",
                "HostExample", "Notebook", "Trial", "Racer", "KillStory",
                "ImageFacts", "ImageCodecs", "Caller", "CallVocabulary", "ExtensionPointKit", "PointHosts",
                "PointMessages", "PageMessages", "Notifier", "Widget", "Typist", "LatinKeys", "Darkroom",
                "LibraryWriter", "FileKeeper", "Sepia", "Blocker", "EchoService", "ServiceEcho", "Fetcher",
                "FetcherApp",
                "TransferMessages", "LyingServer", "QuietPages", "Releases", "SafariServices", "TestPrograms",
                "PostcardsApp", "SharePostcard", "LoadTrialApp", "Indexer", "NoteIndex",
                "Importer", "RecipeReader", "SpotlightStore", "Looker", "PaperThumbnails", "PaperPreview", "TableData",
                "Chatter", "CoinFlip",
                "Picker", "StorageFiles", "Provider", "Shelf", "Soundbox", "Mellow", "Chime", "Hum", "Filterer",
                "ListFilter", "exthost-netns",
                "Tunnel", "TunnelApp", "EchoTunnel", "Proxier", "LocalNames", "Greeter",
                "ListKeeper", "FileDetails",
            ]),
    ]
)
