// AllowanceTests: what a confined program can do, and that Swift with Foundation, Dispatch and tasks runs as it does
// outside.

import Foundation
import Glibc
import LinuxSystem
import Testing

/// What works with every set of layers, and what it takes a view of the file system for.
private let always = [
    "may-read", "may-read-system", "may-read-null", "may-read-zero", "may-read-own-maps", "may-read-own-status",
    "may-read-random",
    "may-list", "may-list-system", "may-write", "may-write-group", "may-lock", "may-write-temporary", "may-write-home",
    "may-run-program", "may-signal-own", "may-start-thread", "may-read-own-stack", "may-pair", "may-have-descriptors",
    "may-set-own-priority", "may-know-time", "may-set-own-limits", "may-have-randomness", "may-resolve",
    "may-change-open",
]
private let withView =
    always + ["may-make-temporary", "may-change-mode", "may-have-memory", "may-know-itself", "may-listen"]

private func allow(_ column: Column, _ initProgram: String, _ hostile: String) throws {
    let layers = column.layers(of: ConfinementProbe(initProgram: initProgram).found)
    guard !layers.isEmpty else { return }
    let outside = try Outside(program: hostile)
    let names = layers.namespaces ? withView : always
    let outcomes = try outside.attempt(names, try outside.confinement(layers), initProgram)
    for name in names { #expect(outcomes[name] == "ok", "\(name) \(layers)") }
}

@Suite struct AllowanceTests {
    @Test(arguments: Column.allCases) func whatIsAllowedWorks(_ column: Column) async throws {
        try allow(column, initProgram, hostileProgram)
        await Task.yield()
    }

    @Test(arguments: Column.allCases) func itWorksForAnOrdinaryUser(_ column: Column) async throws {
        let (directory, program, hostile) = try reachablePrograms()
        await #expect(processExitsWith: .success) {
            [column = column as Column, program = program as String, hostile = hostile as String] in
            try becomeOrdinaryUser()
            try allow(column, program, hostile)
        }
        try directory.remove()
    }

    @Test func theNetworkIsThereForWhoMayHaveIt() throws {
        let outside = try Outside(program: hostileProgram)
        var confinement = try outside.confinement(ConfinementProbe(initProgram: initProgram).found)
        guard confinement.layers.includes(ConfinementLayers(namespaces: true, landlock: 6, seccomp: true)) else {
            return
        }
        let names = ["may-connect-tcp", "may-resolve", "send-udp", "listen-tcp", "netlink-socket"]
        confinement.network = [.client, .server]
        let allowed = try outside.attempt(names, confinement, initProgram)
        for name in names { #expect(allowed[name] == "ok", "\(name)") }
        // Other people's sockets by path and by name are not the network.
        let others = [
            "connect-path", "connect-abstract", "send-to-path", "raw-socket", "packet-socket", "event-socket",
        ]
        let refused = try outside.attempt(others, confinement, initProgram)
        for name in others { #expect(refused[name] != "ok", "\(name)") }
        // Nor are they where no Landlock knows the names.
        for layers in [
            ConfinementLayers(namespaces: true, seccomp: true), ConfinementLayers(landlock: 7, seccomp: true),
        ] {
            confinement.layers = layers
            let refused = try outside.attempt(others + ["may-connect-tcp"], confinement, initProgram)
            for name in others { #expect(refused[name] != "ok", "\(name) \(layers)") }
            #expect(refused["may-connect-tcp"] == "ok")
        }
    }

    /// With a view and without one: Landlock, which tells the two directions apart, is there in both.
    @Test(arguments: [true, false]) func aClientDoesNotListenAndAServerDoesNotConnect(_ hasView: Bool) throws {
        let found = ConfinementProbe(initProgram: initProgram).found
        let layers = ConfinementLayers(namespaces: hasView, landlock: found.landlock, seccomp: true)
        guard found.includes(layers), layers.landlock >= 4 else { return }
        let outside = try Outside(program: hostileProgram)
        var confinement = try outside.confinement(layers)
        let connecting = [
            "connect-tcp", "connect-fast-open", "send-fast-open", "send-messages-fast-open", "connect-multipath",
            "connect-shared", "connect-stream-control", "replace-protocol",
        ]
        let listening = ["listen-tcp", "listen-unbound", "listen-multipath", "replace-protocol"]
        confinement.network = [.client]
        let client = try outside.attempt(
            listening + ["connect-tcp", "send-fast-open", "may-resolve"], confinement, initProgram)
        for name in listening { #expect(client[name] != "ok", "\(name) of a client") }
        for name in ["connect-tcp", "send-fast-open", "may-resolve"] {
            #expect(client[name] == "ok", "\(name) of a client")
        }
        confinement.network = [.server]
        let server = try outside.attempt(connecting + ["listen-tcp", "listen-unbound"], confinement, initProgram)
        for name in connecting { #expect(server[name] != "ok", "\(name) of a server") }
        for name in ["listen-tcp", "listen-unbound"] { #expect(server[name] == "ok", "\(name) of a server") }
        // A client's own sockets by path go through the init, too.
        confinement.network = [.client]
        if hasView { #expect(try outside.attempt(["may-listen"], confinement, initProgram)["may-listen"] == "ok") }
    }

    /// Its own executable lies where it was built, and Swift's runtime where the toolchain has it.
    private func unharmed(_ layers: ConfinementLayers?, runsProgram: Bool = true) throws -> String {
        let outside = try Outside(program: hostileProgram)
        let program = URL(fileURLWithPath: initProgram).deletingLastPathComponent().appendingPathComponent("Unharmed")
            .path
        let copy = outside.bundle + "/Unharmed"
        try copyProgram(program, to: copy)
        var attributes = outside.attributes([], try layers.map { try outside.confinement($0) }, initProgram)
        attributes.executable = copy
        attributes.environment.append("SWIFT_BACKTRACE=enable=no")
        if !runsProgram { attributes.environment.append("UNHARMED_PROCESS=no") }
        attributes.standardError = .descriptor(2)
        let (output, ending) = try run(attributes)
        #expect(ending.status == .exited(0), "\(layers.map(\.description) ?? "unconfined")")
        return output.replacingOccurrences(of: outside.container, with: "CONTAINER")
    }

    @Test func aSwiftProgramRunsUnharmed() throws {
        let expected = try unharmed(nil)
        #expect(expected.contains("process hello\n") && expected.hasSuffix("timer true\n"))
        let withoutProgram = try unharmed(nil, runsProgram: false)
        let found = ConfinementProbe(initProgram: initProgram).found
        for column in Column.allCases where !column.layers(of: found).isEmpty {
            let layers = column.layers(of: found)
            let told = try unharmed(layers, runsProgram: layers.namespaces)
            #expect(told == (layers.namespaces ? expected : withoutProgram), "\(column)")
        }
    }

    @Test func theTemporaryFolderIsTheProgramsOwn() throws {
        // Below a folder that is not in /tmp, so that it can take the place of /tmp.
        let folder = try TemporaryDirectory(prefix: "exthost-place", in: "/var/tmp")
        defer { try? folder.remove() }
        var attributes = shell(
            "pwd; ls /; ls /tmp; echo x > /tmp/file; cat \"$TMPDIR/file\"; ls -a /dev | tr '\\n' ' '")
        attributes.workingDirectory = folder.path
        attributes.confinement = Confinement(
            layers: ConfinementLayers(namespaces: true), writable: [try ViewFile(folder.path)],
            temporaryFolder: try ViewFile(folder.path))
        attributes.enclosure = .processNamespace(initProgram: initProgram)
        guard ConfinementProbe(initProgram: initProgram).found.namespaces else { return }
        let output = try run(attributes).output.split(separator: "\n").map(String.init)
        #expect(output.first == folder.path)
        #expect(output.contains("x") && output.last?.contains(". .. fd full null random shm") == true)
        #expect(!output.contains("home") && !output.contains("root") && !output.contains("sys"))
        #expect(try readFile(folder.path + "/file", maximumSize: 10) == Array("x\n".utf8))
    }
}
