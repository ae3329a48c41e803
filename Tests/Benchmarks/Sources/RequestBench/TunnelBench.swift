// TunnelBench: the packets of a program through a packet tunnel: TUN device, host, extension, and back.

import ExtensionHostTesting
import Foundation
import PointHosts

struct TunnelBench {
    /// The sample, whose other end sends each datagram back.
    let program: String
    /// The program that sends datagrams in the tunnel's network, and its arguments.
    let client: [String]

    func run() async throws {
        let folder = "/var/tmp/exthost-bench-\(getpid())"
        let bundle = folder + "/Bench.app/PlugIns/tunnel.appex"
        let files = FileManager.default
        try files.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        try files.copyItem(atPath: program, toPath: bundle + "/tunnel")
        try Self.write(
            "<key>CFBundleIdentifier</key><string>org.exthost.bench</string>", to: folder + "/Bench.app/Info.plist")
        try Self.write(
            """
            <key>CFBundleIdentifier</key><string>org.exthost.bench.tunnel</string>
            <key>CFBundleExecutable</key><string>tunnel</string><key>NSExtension</key><dict>
            <key>NSExtensionPointIdentifier</key><string>\(TunnelHost.point)</string>
            <key>NSExtensionPrincipalClass</key><string>EchoTunnel.EchoTunnel</string></dict>
            """, to: bundle + "/Info.plist")
        try Self.write(
            """
            <key>com.apple.developer.networking.networkextension</key><array><string>packet-tunnel-provider</string></array>
            """, to: bundle + "/Entitlements.plist")
        try await withTestDaemon(applications: [folder]) { daemon in
            let network = try await TunnelNetwork()
            let tunnel = TunnelHost(try await daemon.host("bench").application, device: network)
            try network.connect(tunnel.packets)
            try await tunnel.start(provider: "org.exthost.bench.tunnel")
            // The client prints the samples.
            let status = try await network.run(client, environment: ["PATH=/usr/bin:/bin"], in: "/")
            await tunnel.stop()
            await network.close()
            guard status == 0 else { throw BenchFailure(outcome: "the client ended with \(status)") }
        }
    }

    private static func write(_ entries: String, to path: String) throws {
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict>\(entries)</dict></plist>\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }
}
