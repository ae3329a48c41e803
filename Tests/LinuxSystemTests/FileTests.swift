// Files and directories: bounds, links, and removal that stays inside.

import Dispatch
import Glibc
import LinuxSystem
import Locks
import Testing

@Suite struct FileTests {
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = try TemporaryDirectory(prefix: "exthost-file-test")
        defer { try? directory.remove() }
        try body(directory.path)
    }

    private func put(_ count: Int, at path: String) {
        let file = OwnedDescriptor(owning: open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        let bytes = [UInt8](repeating: 65, count: count)
        #expect(write(file.raw, bytes, count) == count)
    }

    private func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    @Test(arguments: [0, 1, 4095, 4096, 4097, 100_000])
    func aFileIsReadWholeUpToTheBoundAndNotBeyond(size: Int) throws {
        try inDirectory { (directory) throws in
            put(size, at: directory + "/f")
            #expect(try readFile(directory + "/f", maximumSize: size).count == size)
            #expect(try readFile(directory + "/f", maximumSize: size + 10_000).count == size)
            if size > 0 {
                #expect(throws: SystemError("read", code: EFBIG)) {
                    _ = try readFile(directory + "/f", maximumSize: size - 1)
                }
            }
        }
    }

    /// A file of 1 GiB that takes two pages: one near its middle, one near its end. Memory tells of holes whatever the
    /// folder's file system is.
    @Test(arguments: [true, false]) func whatWasNeverWrittenStaysSoInACopy(endsWithAHole: Bool) throws {
        try inDirectory { (directory) throws in
            let source = try memory()
            let (size, page) = (1 << 30, [UInt8](repeating: 7, count: 4096))
            let places = [size / 2, size - (endsWithAHole ? 65_536 : 4096)]
            for place in places { try page.withUnsafeBytes { try LinuxSystem.write($0, to: source.raw, at: place) } }
            #expect(ftruncate(source.raw, off_t(size)) == 0)
            #expect(unwrittenBytes(of: source.raw, size: size) == size - 2 * 4096)
            let target = try memory()
            #expect(try copyFile(from: source.raw, to: target.raw, size: size) == size)
            var status = stat()
            #expect(fstat(target.raw, &status) == 0 && status.st_size == size && status.st_blocks * 512 < 1 << 24)
            var found = [UInt8](repeating: 0, count: 3 * 4096)
            for place in places {
                let count = pread(target.raw, &found, found.count, off_t(place - 4096))
                let expected = [UInt8](repeating: 0, count: 4096) + page + [UInt8](repeating: 0, count: 4096)
                #expect(count >= 2 * 4096 && found[..<count].elementsEqual(expected[..<count]))
            }
        }
    }

    private func memory() throws -> OwnedDescriptor {
        typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        let address = try #require(dlsym(nil, "memfd_create"))
        return OwnedDescriptor(owning: unsafeBitCast(address, to: Create.self)("file", 1))
    }

    @Test func filesWithoutASizeAreReadAndBounded() throws {
        #expect(try readFile("/proc/self/maps", maximumSize: 1 << 24).count > 4096)
        #expect(throws: SystemError("read", code: EFBIG)) { _ = try readFile("/proc/self/maps", maximumSize: 100) }
    }

    @Test func linksAreFollowedOnlyWhenAllowed() throws {
        try inDirectory { (directory) throws in
            put(3, at: directory + "/f")
            #expect(symlink("f", directory + "/l") == 0)
            #expect(try readFile(directory + "/l", maximumSize: 10).count == 3)
            #expect(throws: SystemError("open", code: ELOOP)) {
                _ = try readFile(directory + "/l", maximumSize: 10, followingLinks: false)
            }
        }
    }

    @Test func whatIsNoFileIsRefusedAndNeverWaitedFor() throws {
        try inDirectory { (directory) throws in
            #expect(mkfifo(directory + "/fifo", 0o600) == 0)
            #expect(throws: SystemError("read", code: EINVAL)) {
                _ = try readFile(directory + "/fifo", maximumSize: 10)
            }
            #expect(throws: SystemError("read", code: EINVAL)) { _ = try readFile(directory, maximumSize: 10) }
            #expect(throws: SystemError("open", code: ENOENT)) {
                _ = try readFile(directory + "/none", maximumSize: 10)
            }
        }
    }

    @Test func aListingIsSortedAndBounded() throws {
        try inDirectory { (directory) throws in
            for name in ["b", "a", "B", ".hidden", "é"] { put(0, at: directory + "/" + name) }
            #expect(try listDirectory(directory, maximumCount: 5) == [".hidden", "B", "a", "b", "é"])
            #expect(throws: SystemError("readdir", code: EOVERFLOW)) {
                _ = try listDirectory(directory, maximumCount: 4)
            }
            #expect(throws: SystemError("open", code: ENOTDIR)) {
                _ = try listDirectory(directory + "/a", maximumCount: 4)
            }
        }
    }

    @Test func aTemporaryDirectoryIsPrivateAndGoesWithEverythingInIt() throws {
        let directory = try TemporaryDirectory()
        var status = stat()
        #expect(lstat(directory.path, &status) == 0 && status.st_mode & 0o7777 == 0o700)
        #expect(mkdir(directory.path + "/d", 0o700) == 0)
        put(1, at: directory.path + "/d/1")
        #expect(mkdir(directory.path + "/1", 0o700) == 0)
        #expect(mkdir(directory.path + "/1/2", 0o700) == 0)
        #expect(mkdir(directory.path + "/1/2/1", 0o700) == 0)
        #expect(mkfifo(directory.path + "/1/2/1/fifo", 0o600) == 0)
        try directory.remove()
        #expect(!exists(directory.path))
        try directory.remove()
    }

    @Test func removalFollowsNoLink() throws {
        try inDirectory { (outside) throws in
            put(1, at: outside + "/precious")
            let directory = try TemporaryDirectory()
            #expect(symlink(outside, directory.path + "/link") == 0)
            #expect(mkdir(directory.path + "/d", 0o700) == 0)
            #expect(symlink(outside + "/precious", directory.path + "/d/link") == 0)
            try directory.remove()
            #expect(exists(outside + "/precious"))
            #expect(symlink(outside, outside + "/link") == 0)
            #expect(throws: SystemError("open", code: ENOTDIR)) { try removeTree(outside + "/link") }
            #expect(exists(outside + "/precious"))
        }
    }

    /// As the test kit and the janitor of a daemon that was killed do.
    @Test func severalRemoveOneTreeAtTheSameTime() throws {
        for _ in 0..<100 {
            let directory = try TemporaryDirectory()
            var path = directory.path
            for depth in 0..<6 {
                for name in ["1", "2", "deeper"] { #expect(mkdir("\(path)/\(name)", 0o700) == 0) }
                put(1, at: path + "/1/\(depth)")
                path += "/deeper"
            }
            let failures = Mutex<[any Error]>([])
            DispatchQueue.concurrentPerform(iterations: 3) { number in
                if number == 0 {
                    // rm fails when another remover moves a directory meanwhile.
                    _ = system("rm -rf \(directory.path) 2>/dev/null")
                } else {
                    do { try directory.remove() } catch { failures.withLock { $0.append(error) } }
                }
            }
            #expect(failures.withLock { "\($0)" } == "[]")
            #expect(!exists(directory.path))
        }
    }

    @Test func removalIsNotBoundByDepth() throws {
        let directory = try TemporaryDirectory()
        // Far deeper than a path may be long or descriptors may be many.
        var current = OwnedDescriptor(owning: open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        for _ in 0..<3000 {
            #expect(mkdirat(current.raw, "deep", 0o700) == 0)
            current = OwnedDescriptor(owning: openat(current.raw, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        }
        try directory.remove()
        #expect(!exists(directory.path))
    }

    @Test func anOrdinaryUserRemovesWhatItClosedToItself() async {
        await #expect(processExitsWith: .success) {
            try becomeOrdinaryUser()
            let directory = try TemporaryDirectory(in: "/tmp")
            for path in ["/a", "/a/b", "/a/b/c"] { #expect(mkdir(directory.path + path, 0o700) == 0) }
            FileTests().put(1, at: directory.path + "/a/b/c/f")
            for path in ["/a/b/c", "/a/b", "/a"] { #expect(chmod(directory.path + path, 0) == 0) }
            try directory.remove()
            #expect(!FileTests().exists(directory.path))
        }
    }

    @Test func clocksGoForwardAndRandomBytesDiffer() throws {
        let first = SystemClock.monotonicNanoseconds()
        #expect(SystemClock.monotonicNanoseconds() >= first && first > 0)
        #expect(abs(SystemClock.realtimeNanoseconds() / 1_000_000_000 - Int64(time(nil))) <= 1)
        #expect(try randomBytes(0) == [])
        let bytes = try randomBytes(1000)
        #expect(bytes.count == 1000 && Set(bytes).count > 100)
        #expect(try randomBytes(32) != randomBytes(32))
    }
}
