// InstallTests: what Scripts/install puts in place, Scripts/uninstall takes out.

import ExtensionHostTesting
import Foundation
import Glibc
import Testing

@Suite struct InstallTests {
    private func script(_ name: String, _ arguments: String, into folder: TestBundles) async throws -> Shell.Ending {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try await Shell(folder: folder.path).run(
            "DESTDIR=\(folder.path)/image '\(root.path)/Scripts/\(name)' \(arguments)")
    }

    private func files(_ folder: TestBundles) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/image").filter {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(folder.path)/image/\($0)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// Returns a folder of links to the programs, of which the mounter is optional.
    private func programs(withMounter: Bool, in folder: TestBundles) throws -> String {
        let programs = folder.path + "/programs"
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
        for name in try FileManager.default.contentsOfDirectory(atPath: SampleApplications.buildFolder)
        where name.hasPrefix("exthost") && !name.contains(".") || name == "generate-manual" {
            guard withMounter || name != "exthost-fuse" else { continue }
            try FileManager.default.createSymbolicLink(
                atPath: "\(programs)/\(name)", withDestinationPath: "\(SampleApplications.buildFolder)/\(name)")
        }
        return programs
    }

    @Test func whatIsInstalledIsTakenOutAgainAndNothingElse() async throws {
        let folder = try TestBundles()
        let programs = try programs(withMounter: false, in: folder)
        try FileManager.default.createDirectory(
            atPath: folder.path + "/image/opt/host/bin", withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: folder.path + "/image/opt/host/bin/another"))
        let installed = try await script("install", "--prefix /opt/host --build '\(programs)'", into: folder)
        try #require(installed.status == 0, "\(installed)")
        let all = try files(folder)
        #expect(
            all.filter { !$0.contains("systemd") && !$0.contains("dbus") && !$0.contains("/man/") } == [
                "opt/host/bin/another", "opt/host/bin/exthost-ibus", "opt/host/bin/exthostctl", "opt/host/bin/exthostd",
                "opt/host/lib/sysusers.d/exthost.conf",
                "opt/host/libexec/exthost/exthost-images", "opt/host/libexec/exthost/exthost-init",
                "opt/host/libexec/exthost/exthost-netns",
                "opt/host/libexec/exthost/exthost-pagehost",
                "opt/host/libexec/exthost/exthost-replay",
                "opt/host/libexec/exthost/exthost-transferd",
                "opt/host/share/bash-completion/completions/exthost-ibus",
                "opt/host/share/bash-completion/completions/exthostctl",
                "opt/host/share/bash-completion/completions/exthostd",
                "opt/host/share/fish/vendor_completions.d/exthost-ibus.fish",
                "opt/host/share/fish/vendor_completions.d/exthostctl.fish",
                "opt/host/share/fish/vendor_completions.d/exthostd.fish",
                "opt/host/share/ibus/component/exthost.xml",
                "opt/host/share/zsh/site-functions/_exthost-ibus",
                "opt/host/share/zsh/site-functions/_exthostctl", "opt/host/share/zsh/site-functions/_exthostd",
            ])
        #expect(all.count > 6, "\(all)")
        for page in [
            "man1/exthostd.1", "man1/exthost-ibus.1", "man1/exthostctl.1", "man1/exthostctl.run.1",
            "man5/exthost-bundle.5",
            "man5/exthostd.plist.5",
        ] {
            #expect(all.contains("opt/host/share/man/\(page)"))
        }
        for page in all where page.contains("/man1/") {
            let text = try String(contentsOfFile: "\(folder.path)/image/\(page)", encoding: .utf8)
            let unknown = text.split(separator: "\n").filter { line in
                (line.hasPrefix(".") || line.hasPrefix("'")) && line.prefixMatch(of: /\.(?:[A-Z][a-z]\b|\\")/) == nil
            }
            #expect(unknown.isEmpty, "\(page): man leaves out a line of text that begins as a request does")
        }
        let unit = try String(
            contentsOfFile: folder.path + "/image/opt/host/lib/systemd/user/exthostd.service", encoding: .utf8)
        #expect(
            unit.contains("\nExecStart=/opt/host/bin/exthostd --user --keep\n"),
            "systemd would not look there by itself")
        let system = try String(
            contentsOfFile: folder.path + "/image/opt/host/lib/systemd/system/exthostd.service", encoding: .utf8)
        #expect(system.contains("\nExecStart=/opt/host/bin/exthostd --system --keep\n"))
        for bus in ["system", "session"] {
            #expect(
                all.contains("etc/dbus-1/\(bus).d/org.exthost.ExtensionHost1.conf"),
                "the bus reads policies there and below /usr only")
        }
        let component = try String(
            contentsOfFile: folder.path + "/image/opt/host/share/ibus/component/exthost.xml", encoding: .utf8)
        #expect(component.contains("<exec>/opt/host/bin/exthost-ibus --ibus</exec>"))
        #expect(component.contains("exec=\"/opt/host/bin/exthost-ibus --xml\"") && !component.contains("@"))
        let version = try await Shell(folder: folder.path).run(
            "image/opt/host/bin/exthostctl --ephemeral --quiet list && image/opt/host/bin/exthostd --version")
        #expect(version.status == 0, "\(version)")

        let removed = try await script("uninstall", "--prefix /opt/host", into: folder)
        #expect(removed.status == 0, "\(removed)")
        #expect(try files(folder) == ["opt/host/bin/another"])
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/image/opt/host/libexec/exthost"))
    }

    private static let mounter = SampleApplications.buildFolder + "/exthost-fuse"

    @Test(.enabled(if: access(mounter, X_OK) == 0, "Packages/exthost-fuse is not built"))
    func theMounterIsInstalledWithPageAndCompletions() async throws {
        let folder = try TestBundles()
        let programs = try programs(withMounter: true, in: folder)
        let installed = try await script("install", "--prefix /usr --build '\(programs)'", into: folder)
        try #require(installed.status == 0, "\(installed)")
        #expect(
            try files(folder).filter { $0.contains("exthost-fuse") } == [
                "usr/bin/exthost-fuse", "usr/share/bash-completion/completions/exthost-fuse",
                "usr/share/fish/vendor_completions.d/exthost-fuse.fish", "usr/share/man/man1/exthost-fuse.1",
                "usr/share/zsh/site-functions/_exthost-fuse",
            ])
        let page = try String(
            contentsOfFile: folder.path + "/image/usr/share/man/man1/exthost-fuse.1", encoding: .utf8)
        #expect(page.contains("Mount the files of a file provider extension as a folder"))
        #expect(try await script("uninstall", "--prefix /usr", into: folder).status == 0)
        #expect(try files(folder).isEmpty)
    }

    @Test func nothingIsInstalledUnlessEverythingIsThere() async throws {
        let folder = try TestBundles()
        let ending = try await script("install", "--build '\(folder.path)'", into: folder)
        #expect(ending.status == 66 && ending.output.contains("exthostd does not exist"), "\(ending)")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/image"))
        #expect(try await script("install", "--prefix here", into: folder).status == 64)
        #expect(try await script("uninstall", "--all", into: folder).status == 64)
    }
}
