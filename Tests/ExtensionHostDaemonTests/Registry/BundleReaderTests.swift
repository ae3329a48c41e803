// BundleReaderTests: what is wrong with a program, when its bundle is read and again before it is launched.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Testing

@Suite struct BundleReaderTests {
    private let folder: ApplicationsFolder

    init() throws { folder = try ApplicationsFolder() }

    /// What happens to a program after its bundle was read, and what is said of it at the launch.
    enum Change: String, CaseIterable, Sendable {
        case gone, notExecutable, link, folder, parentGone, parentIsLink

        func happen(to program: String, of bundle: String) {
            switch self {
            case .gone: #expect(unlink(program) == 0)
            case .notExecutable: #expect(chmod(program, 0o644) == 0)
            case .link: #expect(unlink(program) == 0 && symlink("/bin/true", program) == 0)
            case .folder: #expect(unlink(program) == 0 && mkdir(program, 0o755) == 0)
            case .parentGone: #expect(rename(bundle, bundle + ".away") == 0)
            case .parentIsLink: #expect(rename(bundle, bundle + ".away") == 0 && symlink(bundle + ".away", bundle) == 0)
            }
        }

        /// nil where there is nothing to be said: the bundle itself may be reached by a link.
        var words: [String]? {
            switch self {
            case .gone, .parentGone: ["missing", "Build it into"]
            case .notExecutable: ["is not executable", "chmod +x"]
            case .link, .folder: ["not a regular file", "not a link"]
            case .parentIsLink: nil
            }
        }
    }

    @Test(arguments: Change.allCases, [false, true])
    func aProgramThatBecameAnotherIsNotLaunched(_ change: Change, contents: Bool) throws {
        let path = try folder.good("App", "Share", identifier: "com.example.share", contents: contents)
        let bundle = try #require(ExtensionRegistry.scan([folder.path])["com.example.share"]?.bundle)
        _ = try OpenedBundle(bundle, outside: nil)
        change.happen(to: try #require(bundle.executable), of: path)
        guard let words = change.words else {
            _ = try OpenedBundle(bundle, outside: nil)
            return
        }
        let error = #expect(throws: ExtensionHostError.self) { try OpenedBundle(bundle, outside: nil) }
        #expect(error?.code == .launchFailed && error?.message.hasPrefix("com.example.share: ") == true)
        for word in words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
    }

    /// Longer than any file's name can be: no mode or link is to blame.
    @Test func aProgramThatCannotBeLookedAtIsNamedWithTheReason() throws {
        let path = try folder.bundle("App", "Share")
        let name = String(repeating: "n", count: 300)
        try folder.write(
            path + "/Info.plist",
            ApplicationsFolder.plist(ApplicationsFolder.entries(identifier: "com.example.share", executable: name)))
        let bundle = try #require(ExtensionRegistry.scan([folder.path])["com.example.share"]?.bundle)
        #expect(bundle.executable == nil && bundle.problems.count == 1)
        #expect(bundle.problems[0].contains("is not accessible") && bundle.problems[0].contains("Check the rights"))
    }

    /// Somebody may run it, and not this user: the mode alone does not say so.
    @Test func aProgramThatThisUserMayNotExecuteIsNamedWithTheUser() async {
        await #expect(processExitsWith: .success) {
            let folder = try ApplicationsFolder()
            let path = try folder.good("App", "Share", identifier: "com.example.share")
            // Rights are asked of the real user, and root has all: as nobody, who is neither its owner nor of its
            // group.
            if getuid() == 0 { #expect(setreuid(65534, 0) == 0) }
            #expect(chmod(path + "/Share", 0o610) == 0)
            let bundle = try #require(ExtensionRegistry.scan([folder.path])["com.example.share"]?.bundle)
            #expect(bundle.executable == nil && bundle.problems.count == 1)
            #expect(
                bundle.problems.first?.contains("is not executable by user \(getuid())") == true, "\(bundle.problems)")
        }
    }
}
