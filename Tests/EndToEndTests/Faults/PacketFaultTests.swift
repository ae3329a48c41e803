// PacketFaultTests: packets that are none, from every kind of peer: the peer is told why and cut off, and nobody else
// notices.

import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import Testing

/// One breach of the protocol, and how the daemon names it.
struct PacketFault: Sendable, CustomTestStringConvertible {
    let act: String
    /// In the daemon's last words.
    let words: String
    let code: ExtensionHostError.Code
    /// Nil: every kind of peer.
    let role: String?

    init(_ act: String, _ words: String, code: ExtensionHostError.Code = .protocolViolation, role: String? = nil) {
        (self.act, self.words, self.code, self.role) = (act, words, code, role)
    }

    var testDescription: String { act }

    static let all: [PacketFault] = [
        // In place of the hello.
        PacketFault("firstGarbage", "unknown header flags"),
        PacketFault("firstEmpty", "an empty packet"),
        PacketFault("firstFence", "fence is not allowed before hello"),
        PacketFault("firstBegin", "is not allowed before hello"),
        PacketFault("firstLater", "2.0 to 3.0", code: .versionMismatch),
        PacketFault("firstEarlier", "0.1 to 0.9", code: .versionMismatch),
        PacketFault("firstUpsideDown", "1.5 to 1.0", code: .versionMismatch),
        PacketFault("firstNoVersion", "hello has a value of the wrong type for minimum"),
        PacketFault("firstRole", "the role"),
        PacketFault("firstNoRole", "hello has a value of the wrong type for role"),
        PacketFault("firstNoWindow", "a window of 0 packets"),
        PacketFault("firstNegativeWindow", "a window of -1 packets"),
        PacketFault("firstName", "visible ASCII", role: "host"),
        // After the welcome.
        PacketFault("garbage", "unknown header flags"),
        PacketFault("short", "a packet of 6 bytes is shorter than its header"),
        PacketFault("cut", "the header says 1000 bytes of body"),
        PacketFault("longer", "the header says 1 bytes of body"),
        PacketFault("oversized", "over the limit"),
        PacketFault("overLimit", "over the limit"),
        PacketFault("empty", "an empty packet"),
        PacketFault("laterKind", "unknown message kind 0x7777"),
        PacketFault("laterFlag", "unknown header flags 0x8000"),
        PacketFault("gap", "serial 3 came where 2 was due"),
        PacketFault("repeat", "serial 2 came where 3 was due"),
        PacketFault("creditNothing", "a credit message that grants nothing"),
        PacketFault("creditTooMuch", "more than was used"),
        PacketFault("creditCounted", "where 0 was due"),
        PacketFault("daemonsKind", "deliver is not allowed"),
        PacketFault("anothersKind", "is not allowed from"),
        PacketFault("unknownAnswer", "an answer to serial 4711"),
        PacketFault("helloAgain", "hello is not allowed"),
        PacketFault("array", "the body is not a dictionary"),
        PacketFault("text", "the body is no property list"),
        PacketFault("circle", "the body is no property list"),
        PacketFault("deep", "the body is no property list"),
        PacketFault("missingKey", "lacks the key"),
        PacketFault("wrongType", "of the wrong type"),
        PacketFault("descriptors", "more than 16 descriptors"),
        PacketFault("noDescriptor", "no descriptor came"),
    ]

    /// Floods by peers that read nothing: their end may find no room for words.
    static let deaf: [PacketFault] = [
        PacketFault("flood", "more than it had credit for"),
        PacketFault("floodLarge", "more than it had credit for"),
        PacketFault("floodUnanswered", "more than it had credit for"),
    ]

    static func of(_ role: String) -> [PacketFault] { all.filter { $0.role == nil || $0.role == role } }
}

struct PacketFaultTests {
    @Test(arguments: PacketFault.of("host"))
    func aHostThatBreaksTheProtocolIsToldHowAndCutOff(fault: PacketFault) async throws {
        try await expect(fault, from: "host")
    }

    @Test(arguments: PacketFault.of("control"))
    func aToolThatBreaksTheProtocolIsToldHowAndCutOff(fault: PacketFault) async throws {
        try await expect(fault, from: "control")
    }

    private func expect(_ fault: PacketFault, from role: String) async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet()) { daemon in
            let verdict = try await HostilePeer.run(as: role, fault.act, against: daemon)
            #expect(verdict.code == fault.code.rawValue)
            #expect(verdict.message.contains(fault.words), "\(verdict.message)")
        }
    }

    @Test(arguments: PacketFault.deaf)
    func aHostThatSendsWithoutEndAndReadsNothingIsCutOff(fault: PacketFault) async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet()) { daemon in
            let before = try await daemon.events().last?.sequence ?? 0
            _ = try await HostilePeer.run(as: "host", fault.act, against: daemon)
            let end = try await daemon.event {
                $0.sequence > before && $0.event == EventName.hostDisconnected.rawValue && $0.host == "hostile"
            }
            #expect(end.detail?.contains(fault.words) == true, "\(end.detail ?? "")")
        }
    }

    @Test(arguments: ["flood", "floodLarge"])
    func aToolThatSendsWithoutEndAndReadsNothingIsCutOff(act: String) async throws {
        try await besideAHealthyRequest(try TestBundles.withPuppet()) { daemon in
            _ = try await HostilePeer.run(as: "control", act, against: daemon)
        }
    }

    @Test(arguments: PacketFault.of("extension") + PacketFault.deaf)
    func anExtensionThatBreaksTheProtocolIsKilledAndItsRequestSaysHow(fault: PacketFault) async throws {
        let bundles = try TestBundles.withPuppet()
        try bundles.addHostile(fault.act)
        try await besideAHealthyRequest(bundles, arguments: ["--timer", "launch=30s"]) { daemon in
            let host = try await daemon.host("notes")
            let request = try await host.begin("org.exthost.tests.\(fault.act)", items: [.text("x")])
            #expect(await request.outcome.cause == .protocolViolation)
            let why = try #require(await request.explanation)
            #expect(why.code == fault.code)
            #expect(why.message.contains(fault.words), "\(why.message)")
            let exit = await request.exit?.record
            #expect(exit?.cause == .protocolViolation)
            #expect(exit?.signal == Int(SIGKILL))
        }
    }
}
