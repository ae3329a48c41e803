// BundleIdentityTests: the identifier of a bundle whose files are of strangers.

import Foundation
import Glibc
import LinuxSystem
import Testing

@testable import PointHosts

@Suite struct BundleIdentityTests {
    private static let information = Data(
        """
        <plist version="1.0"><dict><key>CFBundleIdentifier</key><string>org.exthost.one</string></dict></plist>
        """.utf8)

    private func with(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryDirectory(prefix: "exthost-tests")
        defer { try? folder.remove() }
        try FileManager.default.createDirectory(
            atPath: folder.path + "/One.app/Contents", withIntermediateDirectories: true)
        try body(folder.path + "/One.app")
    }

    @Test(arguments: ["Info.plist", "Contents/Info.plist"]) func bothLayoutsAreRead(_ place: String) throws {
        try with { app in
            #expect(BundleIdentity.identifier(at: app) == nil)
            try Self.information.write(to: URL(fileURLWithPath: "\(app)/\(place)"))
            #expect(BundleIdentity.identifier(at: app) == "org.exthost.one")
            let link = app + ".link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: app)
            #expect(BundleIdentity.canonical(link) == BundleIdentity.canonical(app))
        }
    }

    @Test func aPipeALinkAndALongFileAreRefused() throws {
        try with { app in
            let place = app + "/Info.plist"
            #expect(mkfifo(place, 0o600) == 0)
            #expect(BundleIdentity.identifier(at: app) == nil)
            unlink(place)
            try Self.information.write(to: URL(fileURLWithPath: app + "/other"))
            try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: app + "/other")
            #expect(BundleIdentity.identifier(at: app) == nil)
            unlink(place)
            try (Self.information + Data(repeating: 0x20, count: 1 << 20)).write(to: URL(fileURLWithPath: place))
            #expect(BundleIdentity.identifier(at: app) == nil)
        }
        #expect(BundleIdentity.identifier(at: "") == nil && BundleIdentity.identifier(at: "relative") == nil)
    }
}
