// SharedManagers: the acts of the test's app with the managers of a filter and of a DNS proxy.

import Foundation
import NetworkExtension

enum SharedManagers {
    static func observe() {
        _ = NotificationCenter.default.addObserver(
            forName: .NEFilterConfigurationDidChange, object: NEFilterManager.shared(), queue: .main
        ) { _ in print("filter changed") }
        _ = NotificationCenter.default.addObserver(
            forName: .NEDNSProxyConfigurationDidChange, object: NEDNSProxyManager.shared(), queue: .main
        ) { _ in print("names changed") }
    }

    /// Does what `tunnels://filter/ACT` says. The query is the mode for the provider, or `off`.
    static func filter(_ act: String, _ query: String?) {
        let manager = NEFilterManager.shared()
        switch act {
        case "load":
            manager.loadFromPreferences { error in
                let values = manager.providerConfiguration
                print(
                    "filter", manager.localizedDescription ?? "-", manager.isEnabled,
                    values?.vendorConfiguration?["mode"] as? String ?? "-", values?.organization ?? "-",
                    values.map { "\($0.filterBrowsers) \($0.filterSockets)" } ?? "-", TunnelApp.words(error))
            }
        case "save":
            let values = NEFilterProviderConfiguration()
            values.organization = "Example"
            values.filterBrowsers = true
            if query != "off" { values.vendorConfiguration = ["mode": query ?? "plain"] }
            if query == "large" { values.username = String(repeating: "x", count: 20_000) }
            if query == "packets" { values.filterPackets = true }
            manager.providerConfiguration = query == "nothing" ? nil : values
            manager.localizedDescription = "Test"
            manager.isEnabled = query != "off"
            manager.saveToPreferences { error in print("filter saved:", TunnelApp.words(error)) }
        case "remove":
            Task {
                do {
                    try await manager.removeFromPreferences()
                    print("filter removed")
                } catch {
                    print("filter not removed:", TunnelApp.words(error))
                }
            }
        default: print("no act", act)
        }
    }

    /// Does what `tunnels://names/ACT` says. The query is the identifier of the provider, or `off`.
    static func names(_ act: String, _ query: String?) {
        let manager = NEDNSProxyManager.shared()
        switch act {
        case "load":
            Task {
                do {
                    try await manager.loadFromPreferences()
                    let values = manager.providerProtocol
                    print(
                        "names", manager.localizedDescription ?? "-", manager.isEnabled,
                        values?.providerBundleIdentifier ?? "-", values?.serverAddress ?? "-",
                        values?.providerConfiguration?["list"] as? [String] ?? [])
                } catch {
                    print("names not loaded:", TunnelApp.words(error))
                }
            }
        case "save":
            let values = NEDNSProxyProviderProtocol()
            if query != "off" { values.providerBundleIdentifier = query }
            values.serverAddress = "192.0.2.9"
            values.providerConfiguration = ["list": ["ads.test"]]
            manager.providerProtocol = values
            manager.localizedDescription = "Names"
            manager.isEnabled = query != "off"
            manager.saveToPreferences { error in print("names saved:", TunnelApp.words(error)) }
        case "remove":
            manager.removeFromPreferences { error in print("names removed:", TunnelApp.words(error)) }
        default: print("no act", act)
        }
    }
}
