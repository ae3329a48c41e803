// ProtocolPageTests: the part of docs/protocol.md that Scripts/wire does not make names what the code has.

import ExtensionProtocol
import Testing

@Suite struct ProtocolPageTests {
    private let page: String

    init() throws { page = try DocumentPage("protocol.md").text }

    @Test func `every outcome, state and role is named, and the domain of errors`() {
        for outcome in OutcomeKind.allCases { #expect(isNamed(outcome.rawValue), "\(outcome)") }
        for state in HostStateName.allCases { #expect(isNamed(state.rawValue), "\(state)") }
        for notification in HostNotification.allCases { #expect(isNamed(notification.rawValue), "\(notification)") }
        #expect(isNamed(ExtensionHostError.domain))
        for role in [Role.host, .extension, .control, .app] { #expect(isNamed(role.rawValue), "\(role)") }
    }

    @Test func `the limits are those of the code`() {
        for number in [
            PacketLimits.body, PacketLimits.inlinePayload, PacketLimits.sealedPayload, Window.standard.bytes,
            Window.smallest.bytes,
        ] { #expect(page.contains(grouped(number)), "\(number)") }
        #expect(page.contains("version \(ProtocolVersion.current)"))
    }

    private func isNamed(_ name: String) -> Bool { page.contains("`\(name)`") }

    /// With a comma before every three digits from the right.
    private func grouped(_ number: Int) -> String {
        var text = ""
        for (place, digit) in String(number).reversed().enumerated() {
            text = "\(digit)" + (place > 0 && place % 3 == 0 ? "," : "") + text
        }
        return text
    }
}
