// EntitlementAtLaunchTests: the entitlement that an extension point requires, at the moment of a launch.

import EventLoop
import ExtensionProtocol
import ExtensionRegistry
import Glibc
import Logging
import Testing

@testable import ExtensionHostDaemon

/// A launch ahead of requests, and one whose bundle has changed since the request began, have no other check.
@Suite struct EntitlementAtLaunchTests {
    private let folder: ApplicationsFolder

    init() throws {
        LoopThread.start()
        folder = try ApplicationsFolder()
    }

    // spec: NX-16
    @Test("NX-16: an extension without its point's entitlement is not launched") @HostActor
    func anExtensionWithoutItsPointsEntitlementIsNotLaunched() async throws {
        let path = try folder.bundle("App", "Tunnel")
        try folder.write(
            path + "/Info.plist",
            """
            <plist><dict><key>CFBundleIdentifier</key><string>com.example.tunnel</string>
            <key>CFBundleExecutable</key><string>Tunnel</string>
            <key>NSExtension</key><dict>
            <key>NSExtensionPointIdentifier</key><string>com.apple.networkextension.packet-tunnel</string>
            <key>NSExtensionPrincipalClass</key><string>Tunnel.Tunnel</string></dict></dict></plist>
            """)
        let program = path + "/Tunnel"
        try folder.write(program, "")
        #expect(chmod(program, 0o755) == 0)
        let bundle = try #require(ExtensionRegistry.scan([folder.path])["com.example.tunnel"]?.bundle)
        let engine = try Engine(
            options: DaemonOptions(
                listening: .path(folder.path + "/socket"), applications: [folder.path], bus: .address(.none),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, version: "0"))
        let refused = #expect(throws: ExtensionHostError.self) { try engine.launcher.launch(bundle, as: nil) }
        #expect(refused?.code == .notPermitted)
        #expect(refused?.message.contains("packet-tunnel-provider") == true, "\(refused?.message ?? "")")
        try folder.write(
            path + "/Entitlements.plist",
            """
            <plist><dict><key>com.apple.developer.networking.networkextension</key>
            <array><string>packet-tunnel-provider</string></array></dict></plist>
            """)
        // The folder is opened at each launch, and the next check is that of the program.
        #expect(unlink(program) == 0)
        let failed = #expect(throws: ExtensionHostError.self) { try engine.launcher.launch(bundle, as: nil) }
        #expect(failed?.code == .launchFailed)
    }
}
