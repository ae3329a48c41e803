// OwnFolderTests: a folder of one user's alone among folders of all, and the sockets in it.

import Glibc
import LinuxSystem
import Testing

@Suite struct OwnFolderTests {
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = try TemporaryDirectory(prefix: "exthost-own-test")
        defer { try? directory.remove() }
        try body(directory.path)
    }

    @Test func itIsMadeForItsUserAlone() throws {
        try inDirectory { directory in
            let path = directory + "/own"
            #expect(throws: SystemError("open", code: ENOENT)) { _ = try OwnFolder.open(path, makes: false) }
            let made = try OwnFolder.open(path, makes: true)
            var status = stat()
            #expect(fstat(made.raw, &status) == 0 && status.st_mode & 0o7777 == 0o700)
            _ = try OwnFolder.open(path, makes: true)
            _ = try OwnFolder.open(path, makes: false)
        }
    }

    @Test(arguments: [mode_t(0o770), 0o701, 0o750, 0o1777])
    func oneThatIsOpenToOthersIsNone(mode: mode_t) throws {
        try inDirectory { directory in
            try #require(mkdir(directory + "/own", 0o700) == 0 && chmod(directory + "/own", mode) == 0)
            for makes in [true, false] {
                #expect(throws: SystemError("open", code: EPERM)) {
                    _ = try OwnFolder.open(directory + "/own", makes: makes)
                }
            }
        }
    }

    @Test func aLinkAndAFileAreNone() throws {
        try inDirectory { directory in
            try #require(mkdir(directory + "/real", 0o700) == 0)
            try #require(symlink(directory + "/real", directory + "/link") == 0)
            try #require(mkfifo(directory + "/pipe", 0o600) == 0)
            for name in ["link", "pipe"] {
                for makes in [true, false] {
                    #expect(throws: SystemError("open", code: EPERM)) {
                        _ = try OwnFolder.open("\(directory)/\(name)", makes: makes)
                    }
                }
            }
        }
    }

    @Test func aSocketThatIsRemovedLeavesTheFolderThatWasThereBefore() throws {
        try inDirectory { directory in
            let listener = try Socket.listen(at: directory + "/s")
            try Socket.remove(at: directory + "/s")
            #expect(throws: SystemError("connect", code: ENOENT)) { _ = try Socket.connect(to: directory + "/s") }
            #expect(access(directory, F_OK) == 0)
            try Socket.remove(at: directory + "/s")
            withExtendedLifetime(listener.raw) {}
        }
    }
}
