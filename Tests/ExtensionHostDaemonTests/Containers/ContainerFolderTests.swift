// ContainerFolderTests: containers as they are made and taken away.

import ExtensionProtocol
import ExtensionRegistry
import Glibc
import LinuxSystem
import Testing

@Suite final class ContainerFolderTests {
    private let directory: TemporaryDirectory
    private let folder: ContainerFolder

    init() throws {
        directory = try TemporaryDirectory(prefix: "exthost-tests")
        folder = ContainerFolder(path: directory.path + "/data/Containers")
    }

    deinit { try? directory.remove() }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_uid == geteuid() ? status.st_mode & 0o7777 : nil
    }

    // spec: P-542, P-572
    @Test func aContainerIsMadeForItsUserAlone() throws {
        let made = [
            try folder.makePlugIn("org.example.app.share"), try folder.makeApplication("org.example.app"),
            try folder.makeGroup(try GroupIdentifier("group.org.example")),
        ].map(\.path)
        #expect(
            made.map { $0.dropFirst(folder.path.count) } == [
                "/Data/PlugIn/org.example.app.share", "/Data/Application/org.example.app",
                "/Shared/AppGroup/group.org.example",
            ])
        for path in made {
            #expect(mode(path) == 0o700)
            #expect(mode(path + "/Library/Preferences") == 0o700)
        }
        for path in made.prefix(2) { #expect(mode(path + "/tmp") == 0o700 && mode(path + "/Documents") == 0o700) }
        #expect(mode(folder.path) == 0o700 && mode(folder.path + "/Data") == 0o700)
    }

    @Test func oneThatWasOpenedToOthersIsClosedAndKeepsWhatIsInIt() throws {
        let path = try folder.makePlugIn("org.example.share").path
        let file = try createFile(path + "/Documents/note")
        _ = consume file
        #expect(chmod(path, 0o2777) == 0)
        #expect(try folder.makePlugIn("org.example.share").path == path)
        #expect(mode(path) == 0o700 && access(path + "/Documents/note", F_OK) == 0)
    }

    @Test(arguments: ["", ".", "..", "a/b", "a\0b", String(repeating: "x", count: 256)])
    func whatIsNoNameOfAFolderIsRefused(_ name: String) {
        #expect(throws: ContainerError.self) { try folder.makePlugIn(name) }
        #expect(throws: ContainerError.self) { try folder.makeApplication(name) }
        #expect(folder.plugIn(name) == nil && folder.application(name) == nil)
    }

    @Test(arguments: ["Data", "Data/PlugIn", "Data/PlugIn/org.example.share"]) func noLinkIsFollowed(_ place: String)
        throws
    {
        _ = try folder.makePlugIn("org.example.share")
        try removeTree("\(folder.path)/\(place)")
        try #require(symlink(directory.path, "\(folder.path)/\(place)") == 0)
        let error = #expect(throws: ContainerError.self) { try folder.makePlugIn("org.example.share") }
        #expect(error?.path == "\(folder.path)/\(place)" && error?.reason.contains("links are not followed") == true)
    }

    /// What a program may have made of its container, which the next launch must not follow with the daemon's rights.
    @Test func aLinkInAContainerIsNotFollowed() throws {
        let path = try folder.makePlugIn("org.example.share").path
        let outside = directory.path + "/outside"
        try removeTree(path + "/Library")
        try #require(mkdir(outside, 0o700) == 0 && symlink(outside, path + "/Library") == 0)
        let made = try folder.makePlugIn("org.example.share")
        #expect(try listDirectory(outside, maximumCount: 10).isEmpty)
        // Nor is a link in the place of the temporary folder shown.
        try #require(rmdir(path + "/tmp") == 0 && symlink(outside, path + "/tmp") == 0)
        #expect(made.temporary != nil)
        #expect(try folder.makePlugIn("org.example.share").temporary == nil)
    }

    /// A member of a group may take away the rights to its folder: others get them back.
    @Test func aContainerThatWasClosedToItsOwnerIsOpenedAgain() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory(prefix: "exthost-tests")
            if geteuid() == 0 {
                try #require(chown(directory.path, 65534, 65534) == 0 && setgid(65534) == 0 && setuid(65534) == 0)
            }
            let folder = ContainerFolder(path: directory.path + "/Containers")
            let group = try GroupIdentifier("group.org.example")
            let path = try folder.makeGroup(group).path
            try #require(chmod(path, 0) == 0)
            try #require(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0 && errno == EACCES)
            _ = try folder.makeGroup(group)
            var status = stat()
            #expect(lstat(path, &status) == 0 && status.st_mode & 0o7777 == 0o700)
            try directory.remove()
        }
    }

    @Test func whatIsTakenAwayIsGoneAtOnceAndDeletedLater() throws {
        let path = try folder.makePlugIn("org.example.share").path
        _ = try createFile(path + "/mark")
        // Its owner may have closed it.
        #expect(chmod(path, 0o500) == 0)
        #expect(try folder.retire(path))
        #expect(mode(path) == nil)
        #expect(try folder.makePlugIn("org.example.share").path == path)
        #expect(access(path + "/mark", F_OK) != 0)
        #expect(try folder.retire(path) && folder.hasRetired)
        #expect(try folder.retire(path) == false)
        #expect(try listDirectory(folder.path + "/Removed", maximumCount: 10).count == 2)
        let new = try folder.makePlugIn("org.example.share").path
        #expect(folder.deleteRetired() == [])
        #expect(try listDirectory(folder.path + "/Removed", maximumCount: 10).isEmpty)
        #expect(mode(new) == 0o700)
        // A link in the place of a container goes by itself.
        try removeTree(new)
        try #require(symlink(directory.path, new) == 0)
        #expect(try folder.retire(new))
        #expect(folder.deleteRetired() == [] && access(folder.path, F_OK) == 0)
    }

    /// Docs/containers.md has the figure. The start of the smallest program, in the same run, stands for a launch,
    /// which takes longer.
    @Test func aContainerThatIsThereCostsAFractionOfALaunch() throws {
        func best(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Duration {
            var best = Duration.seconds(1)
            for round in 0..<count {
                let start = ContinuousClock.now
                try body(round)
                best = min(best, ContinuousClock.now - start)
            }
            return best
        }
        let group = try GroupIdentifier("group.org.example")
        let first = try best(50) { _ = try folder.makePlugIn("org.example.extension\($0)") }
        let again = try best(200) { _ in _ = try folder.makePlugIn("org.example.extension0") }
        _ = try folder.makeGroup(group)
        let shared = try best(200) { _ in _ = try folder.makeGroup(group) }
        let launch = try best(200) { _ in
            let process = try spawn(SpawnAttributes(executable: "/bin/true", arguments: [], environment: []))
            #expect(waitpid(process.pid, nil, 0) == process.pid)
        }
        print("containers: \(first) to make, \(again) to look at, \(shared) for a group; \(launch) for a program")
        #expect(again < launch && shared < launch)
    }
}
