// PickerStage: a daemon, a document picker and a provider of its app for one test.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import Testing

/// A stage for tests of document pickers.
struct PickerStage {
    static let picker = "org.exthost.tests.picker"
    static let provider = "org.exthost.tests.provider"
    static let group = "group.org.exthost.tests"
    static let allModes = ["Import", "Open", "ExportToService", "MoveToService"].map { "UIDocumentPickerMode\($0)" }

    let daemon: TestDaemon
    let host: FakeHost
    let pickers: DocumentPickerHost
    let output: Output
    let folder: String

    /// The provider's storage.
    var storage: String { "\(daemon.groupContainers ?? "")/\(Self.group)/File Provider Storage" }

    /// The lines that the extensions have printed so far.
    func lines() async throws -> [String] {
        try await host.application.fence()
        return output.text.split(separator: "\n").map(String.init)
    }

    /// Makes a document of the host's.
    func document(_ text: String = "a document") throws -> String {
        let path = folder + "/original.txt"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Begins a session, and taps a button of the picker.
    func session(
        _ wish: DocumentPickerHost.Wish, tap button: String? = nil
    ) async throws -> DocumentPickerSession {
        let session = try await pickers.begin(Self.picker, wish)
        if let button {
            #expect(await session.request.view { _ in true } != nil)
            // The act may end the request before its answer.
            _ = try? await session.use(.tap(button))
        }
        return session
    }

    /// The keys of a test that differ from a picker with a provider in its app.
    struct Keys {
        var modes: [String]? = PickerStage.allModes
        var types: [String]?
        /// `NSExtensionFileProviderDocumentGroup` of the picker, which the template does not have.
        var group: String?
        /// The same key of the provider; nil: there is no provider.
        var providerGroup: String? = PickerStage.group
        /// The groups in the entitlements of the picker, and of the app.
        var held = [PickerStage.group]
        var principal = "PickerController"
    }

    static func entitlements(_ groups: [String], _ bundle: String) throws {
        let plist = ["com.apple.security.application-groups": groups]
        try PropertyListSerialization.data(fromPropertyList: plist, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: bundle + "/Entitlements.plist"))
    }

    /// Makes the bundles: a picker with its provider.
    static func bundles(_ wish: String = "", _ keys: Keys = Keys()) throws -> TestBundles {
        let bundles = try TestBundles()
        let app = bundles.path + "/Tests.app"
        let program = SampleApplications.buildFolder + "/Picker"
        var attributes: [String: Any] = [:]
        if let modes = keys.modes { attributes["UIDocumentPickerModes"] = modes }
        if let types = keys.types { attributes["UIDocumentPickerSupportedFileTypes"] = types }
        var declaration: [String: Any] = [
            "NSExtensionPointIdentifier": DocumentPickerHost.point, "NSExtensionAttributes": attributes,
            "NSExtensionPrincipalClass": "Picker.\(keys.principal)",
        ]
        if let group = keys.group { declaration["NSExtensionFileProviderDocumentGroup"] = group }
        try bundles.add(
            "picker", program: program, point: DocumentPickerHost.point, rule: nil,
            information: ["TestWish": wish, "NSExtension": declaration])
        try entitlements(keys.held, app + "/PlugIns/picker.appex")
        if let group = keys.providerGroup {
            let point = "com.apple.fileprovider-nonui"
            try bundles.add(
                "provider", program: program, point: point, rule: nil,
                information: [
                    "NSExtension": [
                        "NSExtensionPointIdentifier": point, "NSExtensionPrincipalClass": "Picker.NoPicker",
                        "NSExtensionFileProviderDocumentGroup": group,
                    ]
                ])
            try entitlements([group], app + "/PlugIns/provider.appex")
        }
        try entitlements(keys.held + [keys.providerGroup].compactMap(\.self), app)
        return bundles
    }

    /// - Parameter wish: what the picker does when it is prepared.
    static func with(
        _ wish: String = "", _ keys: Keys = Keys(), _ body: (PickerStage) async throws -> Void
    ) async throws {
        let bundles = try bundles(wish, keys)
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try await withTestDaemon(applications: [bundles.path], clock: .virtual) { daemon in
            let output = Output()
            let host = try await daemon.host("files", onOutput: output.add)
            try await body(
                PickerStage(
                    daemon: daemon, host: host,
                    pickers: DocumentPickerHost(host.application, groupContainers: daemon.groupContainers),
                    output: output, folder: folder.path))
        }
        _ = bundles
    }
}
