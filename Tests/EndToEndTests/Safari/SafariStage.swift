// SafariStage: a content blocker and a source of links whose acts a test writes into their bundles.

import ExtensionHostTesting
import Foundation
import PointHosts

struct SafariStage {
    static let blocker = "org.exthost.tests.blocker"
    static let links = "org.exthost.tests.links"

    let bundles: TestBundles
    let daemon: TestDaemon
    let host: HostApplication

    /// Runs a body with a daemon, whose clock is virtual.
    static func with(_ names: [String] = ["blocker"], _ body: (SafariStage) async throws -> Void) async throws {
        let bundles = try TestBundles()
        for name in names {
            try bundles.add(
                name, program: SampleApplications.buildFolder + "/Blocker",
                point: name.hasPrefix("links") ? SharedLinksHost.point : ContentBlockerHost.point,
                principalClass: "Blocker.ContentBlockerRequestHandler")
        }
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let host = try await daemon.host("safari")
            try await body(SafariStage(bundles: bundles, daemon: daemon, host: host.application))
        }
    }

    /// Writes a file of a bundle.
    func write(_ text: String, to file: String, of name: String = "blocker") throws {
        let folder = "\(bundles.path)/Tests.app/PlugIns/\(name).appex"
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(file)"))
    }

    /// A list with one rule.
    static func rule(_ pattern: String) -> String {
        #"[{"trigger": {"url-filter": "\#(pattern)"}, "action": {"type": "block"}}]"#
    }
}
