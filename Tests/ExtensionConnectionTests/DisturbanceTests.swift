// DisturbanceTests: what befalls packets on demand, on their way in and on their way out, is what the other side meets
// with.

import ExtensionConnection
import ExtensionProtocol
import LinuxSystem
import Testing

@Suite struct DisturbanceTests {
    /// Sends three messages, the second of them disturbed on its way out or, at the other side, on its way in.
    private func serials(_ disturbance: PacketDisturbance, sent: Bool) throws -> [UInt32] {
        var link = try Link()
        var serials: [UInt32] = []
        for number in 1...3 {
            if number == 2 {
                if sent { link.near.disturbNextSent(disturbance) } else { link.far.disturbNextReceived(disturbance) }
            }
            try link.near.enqueue(Goodbye())
            _ = try link.near.flush()
            serials += try link.received().map(\.serial)
        }
        return serials
    }

    private func violation(_ disturbance: PacketDisturbance, sent: Bool) throws -> String {
        let error = #expect(throws: ConnectionError.self) { try serials(disturbance, sent: sent) }
        guard case .violation(let violation)? = error else { return "\(error.map { "\($0)" } ?? "none")" }
        return "\(violation)"
    }

    @Test(arguments: [false, true])
    func aPacketThatComesTwiceIsOneTooMany(sent: Bool) throws {
        #expect(try violation(.duplicated, sent: sent).contains("serial 2 came where 3 was due"))
    }

    @Test(arguments: [false, true])
    func aPacketThatIsOvertakenIsMissed(sent: Bool) throws {
        #expect(try violation(.late, sent: sent).contains("serial 3 came where 2 was due"))
    }

    @Test(arguments: [false, true], [UInt8(0), 128, 255])
    func aPacketWithoutItsEndIsNone(sent: Bool, share: UInt8) throws {
        let words = try violation(.truncated(share: share), sent: sent)
        #expect(words.contains("shorter than its header") || words.contains("the header says"), "\(words)")
    }

    @Test(arguments: [false, true])
    func noiseIsNoPacket(sent: Bool) throws {
        let words = try violation(.noise([UInt8](repeating: 0xff, count: 64)), sent: sent)
        #expect(words.contains("unknown header flags"), "\(words)")
    }

    @Test func creditPassesWhatBefallsPackets() throws {
        var link = try Link()
        link.near.disturbNextReceived(.duplicated)
        // Enough for the other side to give credit back, which has no serial and is not the next packet.
        for _ in 0..<Window.standard.packets { try link.near.enqueue(Fence()) }
        _ = try link.near.flush()
        for packet in try link.received() { link.far.release(packet.cost) }
        _ = try link.far.flush()
        #expect(try link.takeCredit() == nil)
        // Nor is a question whether somebody is there.
        try link.far.enqueue(Fence())
        try link.far.enqueue(Goodbye())
        _ = try link.far.flush()
        #expect(try link.takeCredit()?.serial == 1)
        #expect(try link.takeCredit()?.serial == 2)
        do {
            _ = try link.takeCredit()
            Issue.record("the packet came once")
        } catch {
            #expect(ExtensionConnectionTests.violation(error) == .serialOutOfOrder(expected: 3, got: 2))
        }
    }
}
