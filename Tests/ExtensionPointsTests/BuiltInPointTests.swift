// BuiltInPointTests: the points that come with the program are those of the model, and every file is among them.

import Foundation
import Testing

@testable import ExtensionPoints

@Suite struct BuiltInPointTests {
    private let table = PointTable()

    /// Every identifier of spec 4.1.
    private static let identifiers = [
        "com.apple.widget-extension", "com.apple.share-services", "com.apple.ui-services", "com.apple.services",
        "com.apple.photo-editing", "com.apple.photo-project", "com.apple.fileprovider-ui",
        "com.apple.fileprovider-nonui",
        "com.apple.fileprovider-actionsui", "com.apple.keyboard-service", "com.apple.networkextension.packet-tunnel",
        "com.apple.networkextension.app-proxy", "com.apple.networkextension.filter-data",
        "com.apple.networkextension.filter-control", "com.apple.networkextension.dns-proxy",
        "com.apple.Safari.content-blocker",
        "com.apple.Safari.sharedlinks-service", "com.apple.Safari.extension", "com.apple.Safari.web-extension",
        "com.apple.spotlight.index", "com.apple.spotlight.import", "com.apple.AudioUnit", "com.apple.AudioUnit-UI",
        "com.apple.app.non-ui-extension", "com.apple.usernotifications.service",
        "com.apple.usernotifications.content-extension",
        "com.apple.intents-service", "com.apple.intents-ui-service", "com.apple.message-payload-provider",
        "com.apple.callkit.call-directory", "com.apple.broadcast-services-upload",
        "com.apple.broadcast-services-setupui",
        "com.apple.authentication-services-credential-provider-ui", "com.apple.quicklook.preview",
        "com.apple.quicklook.thumbnail", "com.apple.widgetkit-extension", "com.apple.FinderSync",
        "com.apple.dt.Xcode.extension.source-editor", "com.apple.identitylookup.message-filter",
        "com.apple.identitylookup.classification-ui",
    ]

    // spec: P-410
    @Test(arguments: identifiers)
    func everyPointOfTheModelIsThere(_ identifier: String) throws {
        let point = try #require(table[declared: identifier])
        #expect(point.identifier == identifier && point.path == nil)
        #expect(
            point.name != identifier && point.source != nil, "it has a name for people, and says where it comes from")
        if let limit = point.memoryLimit { #expect(!limit.source.isEmpty) }
        #expect(point.limits(in: nil).isEmpty, "PointTable.hasLimits asks only the user's files")
    }

    @Test func thereAreNoOthersAndEveryFileIsOne() throws {
        #expect(table.points.map(\.identifier).sorted() == Self.identifiers.sorted())
        #expect(table.badFiles.isEmpty)
        let folder =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
            + "/../../Sources/ExtensionPoints/Resources"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(files == Self.identifiers.map { $0 + ".plist" }.sorted(), "a file is named by its point")
        for file in files {
            let point = try ExtensionPoint(file: Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file))))
            #expect(point == table[declared: point.identifier], "the build has taken \(file) in")
        }
    }

    // spec: P-023
    @Test func pointsWithoutAnInterfaceBoundTheirRequestsUnlessTheySayOff() {
        let unbounded: Set = [
            "com.apple.AudioUnit", "com.apple.FinderSync", "com.apple.Safari.extension",
            "com.apple.broadcast-services-upload",
            "com.apple.fileprovider-nonui", "com.apple.intents-service", "com.apple.networkextension.app-proxy",
            "com.apple.networkextension.dns-proxy",
            "com.apple.networkextension.filter-control", "com.apple.networkextension.filter-data",
            "com.apple.networkextension.packet-tunnel", "com.apple.spotlight.index",
        ]
        for point in table.points {
            var expected: Duration? = point.hasInterface || unbounded.contains(point.identifier) ? nil : .seconds(30)
            // Its call has a limit of 30 s, and a grace after it.
            let long: Set = [
                "com.apple.usernotifications.service", "com.apple.callkit.call-directory",
                "com.apple.spotlight.import",
            ]
            if long.contains(point.identifier) { expected = .seconds(60) }
            #expect(point.timers[.request] == expected, "\(point.identifier)")
        }
    }

    // spec: P-530, P-532
    @Test(arguments: [
        ("com.apple.widget-extension", 16, MemoryLimit.Provenance.observed),
        ("com.apple.keyboard-service", 48, .observed),
        ("com.apple.share-services", 120, .observed), ("com.apple.usernotifications.service", 24, .observed),
        ("com.apple.broadcast-services-upload", 50, .observed),
        ("com.apple.networkextension.packet-tunnel", 50, .observed),
        ("com.apple.networkextension.filter-data", 50, .observed), ("com.apple.Safari.content-blocker", 40, .guess),
    ])
    func memoryLimitsSayWhereTheyComeFrom(_ identifier: String, _ mebibytes: Int, _ provenance: MemoryLimit.Provenance)
        throws
    {
        let limit = try #require(table[identifier].memoryLimit)
        #expect(limit.bytes == mebibytes << 20)
        #expect(limit.provenance == provenance)
    }

    /// One request a process is for the helper, and for tunnels and proxies, whose process ends when they are stopped
    /// (spec NX-7); URLs are for Today and messages (spec 1.1); a provider of
    /// credentials hears nothing of its host, and the network's have the system for one (spec 1.7).
    // spec: P-416
    @Test func eachPointHasThePoliciesThatAreItsOwn() {
        let deaf =
            Self.identifiers.filter { $0.hasPrefix("com.apple.networkextension.") } + [
                "com.apple.authentication-services-credential-provider-ui"
            ]
        let urls: [String: ExtensionPoint.URLPolicy] = [
            "com.apple.widget-extension": .any, "com.apple.message-payload-provider": .containingApp,
        ]
        for point in table.points {
            let expected: ExtensionPoint.ProcessPolicy =
                [
                    "com.apple.app.non-ui-extension", "com.apple.networkextension.packet-tunnel",
                    "com.apple.networkextension.app-proxy", "com.apple.networkextension.dns-proxy",
                ]
                .contains(point.identifier) ? .onePerRequest : .shared
            #expect(point.processPolicy == expected, "\(point.identifier)")
            #expect(point.urlPolicy == urls[point.identifier] ?? .never, "\(point.identifier)")
            #expect(point.hostNotifications == !deaf.contains(point.identifier), "\(point.identifier)")
        }
    }

    // spec: P-415
    @Test func shareAndActionTakeRules() {
        let taking = table.points.filter(\.takesActivationRules).map(\.identifier)
        #expect(taking == ["com.apple.services", "com.apple.share-services", "com.apple.ui-services"])
    }

    @Test func aPointThatNobodyDeclaresHasNoInterfaceAndASharedProcess() {
        let point = table["org.example.nothing"]
        #expect(table[declared: "org.example.nothing"] == nil)
        #expect(!point.hasInterface && point.processPolicy == .shared && !point.takesActivationRules)
        #expect(point.timers[.request] == .seconds(30))
    }
}
