// DenialTests: what is told of refusals, and that it is bounded.

import Foundation
import Glibc
import LinuxSystem
import Testing

/// Runs attempts confined; what was told.
private func denials(_ names: [String], _ confinement: (Outside) throws -> Confinement) throws -> (
    outcomes: String, told: [Denial]
) {
    // Not below /tmp, of which the program has its own.
    let outside = try Outside(program: hostileProgram, in: "/var/tmp")
    let pair = try SocketPair()
    let ours = pair.first
    let process = try spawn(
        outside.attributes(names, try confinement(outside), initProgram), giving: pair.second, as: 1)
    let text = try output(of: ours)
    try waitFor(process.pidfd.raw)
    _ = process.startedProgram()
    var told: [Denial] = []
    while let denial = process.nextDenial() { told.append(denial) }
    #expect(try ending(of: process).status == .exited(0))
    return (text, told)
}

@Suite struct DenialTests {
    private static let found = ConfinementProbe(initProgram: initProgram).found

    @Test func refusedCallsAreTold() throws {
        guard Self.found.includes(ConfinementLayers(namespaces: true, seccomp: true)) else { return }
        let names = [
            "connect-tcp", "send-udp", "send-to-path", "trace-process", "read-memory", "mount-something",
            "unshare-users",
            "find-keyring", "load-program", "adjust-clock", "change-priority", "type-into-terminal",
            "change-personality",
            "through-handle", "netlink-socket", "read-kernel-log",
        ]
        let (outcomes, told) = try denials(names) { try $0.confinement(Self.found) }
        #expect(!outcomes.contains(" ok"))
        #expect(told.map(\.layer).allSatisfy { $0 == "seccomp" })
        func about(_ call: String) -> [String] { told.filter { $0.call == call }.map(\.about) }
        #expect(about("socket") == ["AF_INET SOCK_STREAM", "AF_UNIX SOCK_DGRAM", "AF_NETLINK SOCK_RAW"])
        #expect(about("unshare") == ["flags 0x10000000"])
        #expect(about("mount").first?.hasSuffix("/victims") == true)
        #expect(about("name_to_handle_at").first?.hasSuffix("/secret") == true)
        let kinds = Set(told.map(\.kind))
        #expect(
            kinds.isSuperset(of: [
                .network, .socket, .tracing, .mount, .namespace, .keyring, .kernel, .clock, .priority, .terminal,
                .program,
                .metadata,
            ]))
        #expect(kinds.count >= 12)
        #expect(
            told.first { $0.about == "AF_INET SOCK_STREAM" }?.allowance == "com.apple.security.network.client = true")
        #expect(told.allSatisfy { !$0.remedy.isEmpty })
    }

    @Test(arguments: [true, false]) func refusedPathsAreToldWhenAsked(_ hasView: Bool) throws {
        let layers = ConfinementLayers(namespaces: hasView, landlock: Self.found.landlock, seccomp: true)
        guard Self.found.includes(layers), layers.landlock > 0 else { return }
        let names = [
            "read-file", "see-file", "create-file", "through-dots", "may-read", "may-write", "may-run-program",
            "may-know-time",
        ]
        let (outcomes, told) = try denials(names) {
            var confinement = try $0.confinement(layers)
            confinement.teachesPaths = true
            return confinement
        }
        for name in names where name.hasPrefix("may-") { #expect(outcomes.contains("\(name) ok")) }
        let paths = told.filter { $0.layer == (hasView ? "namespaces" : "landlock") }
        #expect(paths.contains { $0.call == "openat" && $0.about.hasSuffix("/secret") && $0.kind == .file })
        #expect(paths.contains { $0.about.hasSuffix("/victims/hostile-new") && $0.writes })
        #expect(paths.allSatisfy { $0.allowance == nil && $0.remedy.contains("com.apple.security.application-groups") })
        #expect(!told.contains { $0.about.hasSuffix("Info.plist") || $0.about.contains("/container/") })
    }

    @Test func withoutAskingPathsAreNotTold() throws {
        guard Self.found.includes(ConfinementLayers(namespaces: true, seccomp: true)) else { return }
        #expect(try denials(["read-file", "see-file"]) { try $0.confinement(Self.found) }.told == [])
    }

    @Test func theSameIsToldOnceAndNotWithoutEnd() throws {
        guard Self.found.seccomp else { return }
        let many = Array(repeating: "connect-tcp", count: 50)
        #expect(try denials(many) { try $0.confinement(Self.found) }.told.count == 1)
        // One flag after the other, hundreds of times, by a child that nobody reads.
        let (_, told) = try denials(["change-priorities"]) { try $0.confinement(Self.found) }
        #expect(told.count == 64)
    }

    @Test func onlyWhatIsOneIsTakenForADenial() {
        for call in [
            "open", "socket", "ptrace", "chmod", "keyctl", "bpf", "msgget", "sched_setattr", "ioctl", "mount", "setns",
            "",
        ] {
            let denial = Denial(layer: "seccomp", call: call, about: "")
            #expect(!denial.description.isEmpty && !denial.remedy.isEmpty)
        }
    }
}
