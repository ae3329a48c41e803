// TunnelApp: an app that configures a network extension as its URLs say, and prints what becomes of it.

import NetworkExtension
import UIKit

@main final class TunnelApp: UIResponder, UIApplicationDelegate {
    private var manager: NETunnelProviderManager?
    /// Whether the app configures app proxies in place of packet tunnels.
    private var isProxy = false

    private func make() -> NETunnelProviderManager { isProxy ? NEAppProxyProviderManager() : NETunnelProviderManager() }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        _ = NotificationCenter.default.addObserver(
            forName: .NEVPNStatusDidChange, object: nil, queue: nil
        ) { notification in
            print("status", (notification.object as? NEVPNConnection)?.status.rawValue ?? -1)
        }
        _ = NotificationCenter.default.addObserver(forName: .NEVPNConfigurationChange, object: nil, queue: nil) { _ in
            print("configurations changed")
        }
        SharedManagers.observe()
        print("launched")
        return true
    }

    nonisolated static func words(_ error: (any Error)?) -> String {
        error.map {
            let found = $0 as NSError; return "\(found.domain) \(found.code)"
        } ?? "no error"
    }

    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool {
        let word = url.lastPathComponent
        switch url.host {
        case "filter": SharedManagers.filter(word, url.query)
        case "names": SharedManagers.names(word, url.query)
        case "proxies":
            isProxy = true
            manager = nil
            print("proxies")
        // tunnels://save/PROVIDER, with ?demand for an on-demand rule, or ?off for a disabled configuration
        case "save":
            let made = manager ?? make()
            manager = made
            let configured = NETunnelProviderProtocol()
            configured.providerBundleIdentifier = word
            configured.serverAddress = "198.51.100.7"
            configured.providerConfiguration = ["colour": "blue", "numbers": [1, 2]]
            (made.protocolConfiguration, made.localizedDescription) = (configured, "Test")
            made.isEnabled = url.query != "off"
            made.isOnDemandEnabled = url.query == "demand"
            made.onDemandRules = [NEOnDemandRuleConnect()]
            if isProxy { made.appRules = [NEAppRule(signingIdentifier: "org.exthost.browser")] }
            made.saveToPreferences { error in print("saved:", Self.words(error)) }
        // tunnels://several/PROVIDER saves four new configurations at once
        case "several":
            for number in 1...4 {
                let made = NETunnelProviderManager()
                let configured = NETunnelProviderProtocol()
                configured.providerBundleIdentifier = word
                configured.serverAddress = "198.51.100.\(number)"
                made.protocolConfiguration = configured
                made.saveToPreferences { error in print("saved \(number):", Self.words(error)) }
            }
        case "load":
            let show = { (managers: [NETunnelProviderManager]?, error: (any Error)?) in
                if let first = managers?.first { self.manager = first }
                let names = (managers ?? []).map { found in
                    let configured = found.protocolConfiguration as? NETunnelProviderProtocol
                    return "\(found.localizedDescription ?? "-") \(configured?.serverAddress ?? "-")"
                        + " \(configured?.providerConfiguration?["colour"] as? String ?? "-")"
                        + " \(found.connection.status.rawValue) \(found.onDemandRules?.count ?? 0)"
                }
                print("loaded \(names): \(Self.words(error))")
            }
            if isProxy {
                NEAppProxyProviderManager.loadAllFromPreferences { show($0, $1) }
            } else {
                NETunnelProviderManager.loadAllFromPreferences { show($0, $1) }
            }
        case "start":
            do {
                let chosen: [String: NSObject]? = word == "plain" ? nil : ["do": NSString(string: word)]
                try manager?.connection.startVPNTunnel(options: chosen)
                print("starting")
            } catch {
                print("not started:", Self.words(error))
            }
        case "stop": manager?.connection.stopVPNTunnel()
        case "message":
            do {
                try (manager?.connection as? NETunnelProviderSession)?.sendProviderMessage(Data(word.utf8)) { reply in
                    print("reply:", reply.map { String(decoding: $0, as: UTF8.self) } ?? "nil")
                }
            } catch {
                print("not sent:", Self.words(error))
            }
        case "tell":
            do {
                try (manager?.connection as? NETunnelProviderSession)?.sendProviderMessage(Data(word.utf8))
                print("told")
            } catch {
                print("not told:", Self.words(error))
            }
        case "why":
            manager?.connection.fetchLastDisconnectError { error in print("ended:", Self.words(error)) }
        case "remove":
            manager?.removeFromPreferences { error in print("removed:", Self.words(error)) }
        default: return false
        }
        return true
    }
}
