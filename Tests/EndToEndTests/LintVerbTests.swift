// LintVerbTests: `exthostctl lint`, which needs no daemon.

import Foundation
import LinuxSystem
import TestPrograms
import Testing

@Suite final class LintVerbTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory(prefix: "exthost-tests") }

    deinit { try? folder.remove() }

    private func lint(_ arguments: String...) async throws -> Program.Ending {
        try await Program.control(
            ["lint"] + arguments, socket: folder.path + "/none",
            environment: ["EXTHOST_EXTENSION_POINTS": folder.path + "/none"]
        ).ending()
    }

    /// An extension without a program.
    private func bundle(rule: String) throws -> String {
        let path = folder.path + "/Share.appex"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let document = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>org.example.share</string>
            <key>CFBundleDisplayName</key><string>Share</string>
            <key>CFBundleExecutable</key><string>sh</string>
            <key>CFBundlePackageType</key><string>XPC!</string>
            <key>CFBundleShortVersionString</key><string>1.0</string>
            <key>CFBundleVersion</key><string>1</string>
            <key>NSExtension</key><dict>
            <key>NSExtensionPointIdentifier</key><string>com.apple.share-services</string>
            <key>NSExtensionAttributes</key><dict>
            <key>NSExtensionActivationRule</key>
            \(rule)
            </dict></dict></dict></plist>
            """
        try Data(document.utf8).write(to: URL(fileURLWithPath: path + "/Info.plist"))
        let program = path + "/sh"
        try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path + "/Info.plist")
        return path
    }

    @Test func theSamplesHaveNoFaults() async throws {
        let ending = try await lint(try samples(), "--release")
        #expect(ending.status == 0 && ending.output.isEmpty, "\(ending.output)")
        #expect(ending.errors == "exthostctl: 0 errors, 0 warnings\n")
    }

    // spec: P-349
    @Test func aWarningHasItsPlaceAndRemedyAndFailsOnlyARelease() async throws {
        let path = try bundle(rule: "<string>TRUEPREDICATE</string>")
        let place = "\(path)/Info.plist:13: "
        let ending = try await lint(path)
        #expect(ending.status == 0 && ending.errors == "exthostctl: 0 errors, 1 warning\n")
        let lines = ending.output.split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0].hasPrefix(place + "warning: ") && lines[0].hasSuffix(" [truePredicate]"))
        #expect(lines[1].hasPrefix("  ") && lines[1].count > 3)
        let release = try await lint(path, "--release", "-q")
        #expect(release.status == 1 && release.output.hasPrefix(place + "error: ") && release.errors.isEmpty)
    }

    @Test func jsonHasTheFixedShape() async throws {
        let path = try bundle(rule: "<integer>1</integer>")
        let ending = try await lint(path, "--json")
        #expect(ending.status == 1 && ending.errors.isEmpty)
        let findings = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [[String: Any]])
        let finding = try #require(findings.first)
        #expect(findings.count == 1)
        #expect(Set(finding.keys) == ["severity", "code", "file", "key", "line", "message", "remedy"])
        #expect(finding["severity"] as? String == "error" && finding["code"] as? String == "wrongValueType")
        #expect(finding["key"] as? String == "NSExtension.NSExtensionAttributes.NSExtensionActivationRule")
        #expect(finding["line"] as? Int == 12 && finding["file"] as? String == path + "/Info.plist")
        let none = try await lint(try bundle(rule: "<string>FALSEPREDICATE</string>") + "/sh", "--json")
        #expect(
            none.status == 66 && none.output.hasPrefix(#"{"error": {"name": "missing""#)
                && none.errors.hasPrefix("exthostctl: "))
    }

    /// Its mode is not to blame, and the remedy is not to change it.
    @Test(.enabled(if: hasMountNamespaces, "this user may have no namespace of mounts"))
    func aProgramOnAMountWithoutExecutionIsToldByTheMount() async throws {
        let path = try bundle(rule: "<string>SELF.extensionItems.@count == 1</string>")
        let script = """
            set -e
            mount --bind "$1" "$1"
            mount -o remount,bind,noexec "$1"
            exec "$2" lint "$1" --json
            """
        let words = ["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", path]
        let ending = try await Program.run(
            "/usr/bin/unshare", words + [SampleApplications.buildFolder + "/exthostctl"], socket: "/nonexistent"
        ).ending()
        let findings = try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [[String: Any]] ?? []
        let finding = try #require(findings.first { $0["code"] as? String == "executableNotExecutable" }, "\(ending)")
        #expect(
            (finding["message"] as? String)?.contains("is on \(path), which is mounted with noexec") == true,
            "\(finding)")
        let remedy = finding["remedy"] as? String ?? ""
        #expect(remedy.contains("mount -o remount,exec \(path)") && !remedy.contains("chmod"))
    }
}
