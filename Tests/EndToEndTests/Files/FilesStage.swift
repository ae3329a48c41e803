// FilesStage: a file provider whose acts a test writes into its bundle, and the host of files.

import ExtensionHostTesting
import Foundation
import PointHosts

struct FilesStage {
    static let identifier = "org.exthost.tests.files"
    static let group = "group.org.exthost.tests.files"

    let bundles: TestBundles
    let daemon: TestDaemon
    let host: HostApplication
    let provider: FileProviderHost
    let files: ProviderFiles

    /// Runs a body with a daemon and the files of a provider.
    ///
    /// - Parameters:
    ///   - principal: the provider's class.
    ///   - acts: what it does from the beginning.
    ///   - store: the folder of the host's stores; nil: one that ends with the host.
    static func with(
        _ principal: String = "Provider.Replicated", acts: String..., store: String? = nil,
        limit: Duration = .seconds(30), quietTime: Duration = .seconds(30), clock: TestDaemon.ClockKind = .real,
        _ body: (FilesStage) async throws -> Void
    ) async throws {
        let bundles = try TestBundles()
        try add(to: bundles, principal)
        try write(acts, in: bundles)
        try await withTestDaemon(applications: [bundles.path], clock: clock) { daemon in
            let host = try await daemon.host("files").application
            let provider = try FileProviderHost(
                host, store: store, groupContainers: daemon.groupContainers, limit: limit, quietTime: quietTime)
            try await provider.serve()
            let files = try await provider.files(of: identifier)
            try await body(
                FilesStage(bundles: bundles, daemon: daemon, host: host, provider: provider, files: files))
            await provider.close()
        }
    }

    /// Adds a provider, which names and holds an app group.
    static func add(to bundles: TestBundles, _ principal: String) throws {
        let program = principal.split(separator: ".").first.map(String.init) ?? principal
        try bundles.add(
            "files", program: "\(SampleApplications.buildFolder)/\(program)", point: FileProviderHost.point,
            principalClass: principal, rule: nil)
        let path = "\(bundles.path)/Tests.app/PlugIns/files.appex/Info.plist"
        var information =
            try PropertyListSerialization.propertyList(
                from: try Data(contentsOf: URL(fileURLWithPath: path)), format: nil) as? [String: Any] ?? [:]
        var declaration = information["NSExtension"] as? [String: Any] ?? [:]
        declaration["NSExtensionFileProviderDocumentGroup"] = group
        information["NSExtension"] = declaration
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: path))
        let entries: [String: Any] = [
            "com.apple.security.application-groups": [group], "com.apple.security.network.client": true,
        ]
        for bundle in ["Tests.app", "Tests.app/PlugIns/files.appex"] {
            try bundles.write(entries, to: "\(bundles.path)/\(bundle)/Entitlements.plist")
        }
    }

    private static func write(_ acts: [String], in bundles: TestBundles) throws {
        let path = "\(bundles.path)/Tests.app/PlugIns/files.appex/acts"
        try Data(acts.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    /// Says what the provider does from now on.
    func act(_ acts: String...) throws { try Self.write(acts, in: bundles) }

    /// Has the provider do something, by asking for an item that is not there.
    func have(_ deed: String) async { _ = try? await files.item("do:\(deed)") }

    /// The text of a file.
    func text(_ identifier: String) async throws -> String {
        try await files.read(identifier) { Self.text(of: $0) }
    }

    static func text(of raw: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = pread(raw, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }

    /// Replaces the text of a file.
    func write(_ text: String, to identifier: String) async throws {
        try await files.write(identifier) { raw in Self.replace(raw, text) }
    }

    static func replace(_ raw: Int32, _ text: String) {
        ftruncate(raw, 0)
        let bytes = Array(text.utf8)
        pwrite(raw, bytes, bytes.count, 0)
    }

    /// The calls that the provider has got, in order.
    func log() async throws -> [String] {
        // The contents are made anew with each fetch.
        try await files.evict("log")
        return try await text("log").split(separator: "\n").map(String.init)
    }

    /// The calls whose first word is this.
    func log(_ word: String) async throws -> [String] { try await log().filter { $0.hasPrefix(word) } }

    /// The failure of a body; nil if it has none.
    static func failure(_ body: () async throws -> Void) async -> FileFailure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? FileFailure
        }
    }
}
