// FaultTests: providers that hang, fail, die or lie.

import Foundation
import Testing

@Suite(.enabled(if: Programs.hindrance == nil, "FUSE cannot be used here"), .serialized)
struct FaultTests {
    @Test("A call that never ends fails with ETIMEDOUT, and open files stay usable.")
    func hang() async throws {
        let ending = try await Programs.trial("hang", ["--limit", "1500"])
        #expect(
            ending.lines == [
                "lookup: ETIMEDOUT", "list: ETIMEDOUT", "create: ETIMEDOUT", "mkdir: ETIMEDOUT", "unlink: ETIMEDOUT",
                "rename: ETIMEDOUT", "write to an open file: 3", "read of an open file: b'bcd'",
                "size of an open file: 3", "fsync: ETIMEDOUT", "fsync afterwards: None",
                "list afterwards: ['a', 'd']", "provider: b'bcd'",
            ], "\(ending.errors)")
        #expect(ending.log.contains { $0.contains("fails: the provider has not answered within") })
        #expect(ending.errors.contains("ended: requested, undelivered 0"))
    }

    @Test("The folder is unmounted while 200 operations wait for a provider that never answers.")
    func hangAndEnd() async throws {
        let ending = try await Programs.trial("hang_and_end", ["--limit", "10000"])
        #expect(ending.lines == ["200 wait"])
        #expect(ending.errors.contains("ended: requested, undelivered 0"))
    }

    @Test("A killed program does not wait for the provider, and a handled signal fails no operation.")
    func killedUser() async throws {
        // Only a signal ends the operations before the test's own bound: their limit is an hour.
        let ending = try await Programs.mount(
            ["--limit", "3600000"],
            [
                "/bin/bash", "-c",
                "/usr/bin/python3 \(Programs.scripts)/trials.py killed_user; status=$?; kill -9 $DRIVER; exit $status",
            ], in: TestFolder())
        #expect(
            ending.lines == ["killed: -9", "a handled signal ends nothing", "killed: -9"], "\(ending.errors)")
    }

    @Test("After the program is killed, users get errors at once, and the folder can be unmounted.")
    func killedDriver() async throws {
        let folder = try TestFolder()
        // The shell outlives the program.
        let script = """
            \(Programs.folder)/MountedFolder --limit 3600000 \(folder.path) \
                /usr/bin/python3 \(Programs.scripts)/trials.py killed_driver >lines &
            wait $!
            while ! grep -q 'mount point' lines; do sleep 0.05; done
            cat lines
            """
        let ending = try await Programs.runEnclosed(["/bin/bash", "-c", script], in: folder.path)
        #expect(
            ending.lines == ["waiting user: 1", "later user: ENOTCONN", "umount: 0", "mount point: []"],
            "\(ending.errors)")
    }

    @Test("Each failure of a provider has its error number, and what is not delivered is delivered later.")
    func codes() async throws {
        let ending = try await Programs.trial("codes")
        #expect(
            ending.lines == [
                "create, quota: EDQUOT", "create, unreachable: EHOSTUNREACH", "create, ended: EIO",
                "create, authentication: EACCES", "create, missing: ENOENT", "create, space: ENOSPC",
                "create, timeout: ETIMEDOUT", "fsync, quota: EDQUOT", "close, quota: EDQUOT",
                "fsync afterwards: None", "provider: b'amore'", "mode of what may be read only: 0o100444",
                "write to it: EACCES", "remove it: EACCES", "rename it: EACCES",
            ], "\(ending.errors)")
    }

    @Test("What no file system can have is not shown, and the log says why.")
    func hostile() async throws {
        let ending = try await Programs.trial("hostile", ["--hostile", "20000"])
        let expected = [
            #"names: ['a', 'attributes', 'cafe\u0301', 'caf\xe9', 'deep', 'future', 'good', 'huge', 'less', 'link', "#
                + "'many', 'more', 'negative', 'nolink', 'time', 'twice', 'unknown']",
            "'good': (5, b'hello')", "'twice': (5, b'hello')", "'more': (10, b'hello')", "'less': (2, b'hello')",
            "'unknown': (0, b'hello')", "'negative': (0, b'hello')", "'huge': (0, b'hello')",
            "'time': (5, b'hello')", #"'caf\xe9': (5, b'hello')"#, #"'cafe\u0301': (5, b'hello')"#,
            "size of an open file: 5", "link: EIO", "empty link: EIO", "another name: EIO", "another folder: EIO",
            "top folder in itself: ELOOP", "cycle: []", "into the cycle: ELOOP", "stranger: EIO", "deep: True",
            "time: 0.0", "year: 9999", "attributes: ['user.good']", "created as another name: EIO",
            "created as another kind: EIO", "renamed to nothing: EIO", "many: 20000",
        ]
        #expect(ending.status == 0, "\(ending.errors)")
        for (found, expected) in zip(ending.lines, expected) { #expect(found == expected) }
        #expect(ending.lines.count == expected.count)
        for reason in [
            "a/b in the top folder is not shown: it has a slash",
            ".. in the top folder is not shown: it means a folder to the system",
            "is not shown: it is empty", "is not shown: it has a zero byte", "is not shown: it has more than 255 bytes",
            "twice in the top folder is not shown: there is another of that name",
            "loop in the top folder is not shown: it is a folder around itself",
            "stranger in the top folder is not shown: its parent is another folder",
            "the provider says that more has 10 bytes, and its contents have 5",
            "the target of link has 5000 bytes", "the provider answers good, and was asked for wrong",
        ] {
            #expect(ending.log.contains { $0.contains(reason) }, "\(reason): \(ending.log)")
        }
    }

    @Test("A folder with more than a million items cannot be listed, and the rest can be used.")
    func tooMany() async throws {
        let ending = try await Programs.trial("too_many", ["--hostile", "1000001"])
        #expect(ending.lines == ["too many: EOVERFLOW", "the rest: b'hello'"], "\(ending.errors)")
    }
}
