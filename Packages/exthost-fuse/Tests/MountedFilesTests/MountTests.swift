// MountTests: what programs see of a mounted provider, compared with a plain folder and with a model.

import Foundation
import Testing

@Suite(.enabled(if: Programs.hindrance == nil, "FUSE cannot be used here"), .serialized)
struct MountTests {
    /// The results that differ from those of a plain folder. docs/file-providers.md has the reasons.
    static let differences: [String: String] = [
        "name that is no text": "EILSEQ",
        "fifo": "EPERM",
        "RENAME_EXCHANGE": "EINVAL",
        "link": "EPERM",
        "through symlink": "b'4'",  // The plain folder has exchanged the two files.
        "unlink of a symlink": "(None, b'4')",
        "O_TMPFILE": "ENOTSUP",
        "chmod 600": "(None, '-rw-r--r-- 1 10003')",
        "setuid": "EPERM",
        "digits of times": "(None, 1500000000123456716)",
        "time of access": "(None, 1500000000)",
    ]

    /// Runs a command in a plain folder and in a mounted one. Returns the lines of both.
    func compare(_ command: String, _ options: [String] = []) async throws -> (plain: [String], mounted: [String]) {
        let folder = try TestFolder()
        let script = """
            mkdir plain && mount -t tmpfs none plain || exit
            \(command) plain >plain.txt 2>&1; echo "status $?" >>plain.txt
            \(command) mount >mount.txt 2>&1; echo "status $?" >>mount.txt
            """
        let ending = try await Programs.mount(options, ["/bin/bash", "-c", script], in: folder)
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.errors.contains("ended: requested, undelivered 0"))
        let texts = try ["plain", "mount"].map { name in
            try String(contentsOfFile: "\(folder.path)/\(name).txt", encoding: .utf8)
                .replacingOccurrences(of: "/mount/", with: "/plain/").split(separator: "\n").map(String.init)
        }
        return (texts[0], texts[1])
    }

    @Test("Each operation has the result that it has in a plain folder, except for those that the page lists.")
    func operations() async throws {
        let (plain, mounted) = try await compare("/usr/bin/python3 \(Programs.scripts)/operations.py")
        #expect(plain.count > 100)
        #expect(plain.count == mounted.count)
        var found: [String: String] = [:]
        for (plain, mounted) in zip(plain, mounted) where plain != mounted {
            let parts = mounted.components(separatedBy: ": ")
            found[parts[0]] = parts.dropFirst().joined(separator: ": ")
        }
        #expect(found == Self.differences)
    }

    @Test("git, make, tar and other programs do the same as in a plain folder.")
    func programs() async throws {
        let (plain, mounted) = try await compare("/bin/bash \(Programs.scripts)/work.sh")
        #expect(plain.last == "status 0", "\(plain)")
        #expect(plain == mounted)
    }

    @Test("Four processes use one database at once.", arguments: ["delete", "wal", "truncate", "persist"])
    func database(_ mode: String) async throws {
        let folder = try TestFolder()
        let ending = try await Programs.mount(
            [], ["/usr/bin/python3", "\(Programs.scripts)/sqlite.py", "mount", mode], in: folder)
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(Array(ending.lines.prefix(5)) == [mode, "[0, 0, 0, 0]", "(100, 100, 300000)", "ok", "(52,)"])
    }

    @Test("Random operations agree with a model, also if calls of the provider fail.", arguments: [0, 23])
    func random(failEvery: Int) async throws {
        let folder = try TestFolder()
        let environment = ProcessInfo.processInfo.environment
        let seed = environment["EXTHOST_FUSE_SEED"] ?? "\(UInt32.random(in: 1 ... .max))"
        let steps = environment["EXTHOST_LONG_TESTS"] == nil ? 2_000 : 100_000
        print("random operations: EXTHOST_FUSE_SEED=\(seed)")
        let script = "\(Programs.scripts)/random_operations.py"
        let ending = try await Programs.mount(
            ["--fail-every", "\(failEvery)"],
            ["/usr/bin/python3", script, "mount", seed, "\(steps)", folder.path + "/model.json"],
            environment: failEvery > 0 ? ["FAULTS": "1"] : [:], in: folder)
        #expect(ending.status == 0, "seed \(seed): \(ending.output)")
        // What the provider has after the end is the same.
        let compared = try Programs.run(
            "/usr/bin/python3", [script, "--compare", folder.path + "/provider", folder.path + "/model.json"],
            in: folder.path)
        #expect(compared.status == 0, "seed \(seed): \(compared.output)")
    }

    @Test("Eight processes work at once.")
    func together() async throws {
        let ending = try await Programs.trial("together")
        #expect(
            ending.lines == [
                "[0, 0, 0, 0, 0, 0, 0, 0]", "160 160 [20, 20, 20, 20, 20, 20, 20, 20]",
            ], "\(ending.errors)")
    }

    @Test("The kernel learns of what the provider tells.")
    func changes() async throws {
        let ending = try await Programs.trial("changes")
        #expect(
            ending.lines == [
                "old: b'old'", "nothing: ENOENT", "new: b'new'", "something: b'b'",
                "the reader of before: b'new'", "deleted: ENOENT", "afterwards: ['a']",
            ], "\(ending.errors)")
    }

    @Test("A folder that is mounted for reading refuses every change.")
    func readOnly() async throws {
        let ending = try await Programs.trial("read_only", ["--read-only"])
        #expect(
            ending.lines == ["read: b'a'", "write: EROFS", "create: EROFS", "mkdir: EROFS", "unlink: EROFS"],
            "\(ending.errors)")
    }
}
