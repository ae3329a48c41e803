// ConfiguringApp: the app of a test that configures its network extensions, and that is told what to do by URLs.

import ExtensionHost
import ExtensionHostTesting
import Testing

enum ConfiguringApp {
    /// Adds the app to the bundles of its extensions.
    static func add(to bundles: TestBundles) throws -> TestBundles {
        try bundles.addProgram("TunnelApp", copyOf: SampleApplications.buildFolder + "/TunnelApp")
        try bundles.write(
            [
                "CFBundleIdentifier": notebook, "CFBundleExecutable": "TunnelApp",
                "CFBundleURLTypes": [["CFBundleURLName": "tunnels", "CFBundleURLSchemes": ["tunnels"]]],
            ], to: bundles.path + "/Tests.app/Info.plist")
        return bundles
    }

    /// Opens a URL in the app, and waits for what it prints.
    static func order(
        _ url: String, _ answer: String, _ bundles: TestBundles, _ daemon: TestDaemon, _ output: Output
    ) async throws {
        let before = output.text.count
        _ = try await launch(bundles, daemon, for: .url("tunnels://" + url))
        do {
            try await eventually { output.text.dropFirst(before).contains(answer) }
        } catch {
            Issue.record("\(url): \(output.text)")
            throw error
        }
    }
}
