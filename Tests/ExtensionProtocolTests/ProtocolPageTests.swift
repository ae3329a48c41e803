// ProtocolPageTests: docs/protocol.md names everything that the code can send.

import ExtensionProtocol
import Testing

@Suite struct ProtocolPageTests {
    private let page: String

    init() throws { page = try DocumentPage("protocol.md").text }

    @Test func `every message stands in a table with its number`() {
        for kind in MessageKind.allCases {
            let digits = String(kind.rawValue, radix: 16)
            let number = "0x" + String(repeating: "0", count: 4 - digits.count) + digits
            #expect(page.contains("| \(number) | `\(kind)` |"), "\(kind), \(number)")
        }
    }

    @Test func `no message stands there that the code does not have`() {
        #expect(page.split(separator: "\n").filter { $0.hasPrefix("| 0x") }.count == MessageKind.allCases.count)
    }

    @Test func `every key of every message is named`() {
        for key in Key.allCases { #expect(isNamed(key.rawValue), "\(key)") }
    }

    @Test func `every outcome, cause, event, state and role is named`() {
        for outcome in OutcomeKind.allCases { #expect(isNamed(outcome.rawValue), "\(outcome)") }
        for cause in Cause.allCases { #expect(isNamed(cause.rawValue), "\(cause)") }
        for event in EventName.allCases { #expect(isNamed(event.rawValue), "\(event.rawValue)") }
        for state in HostStateName.allCases { #expect(isNamed(state.rawValue), "\(state)") }
        for notification in HostNotification.allCases { #expect(isNamed(notification.rawValue), "\(notification)") }
        for role in [Role.host, .extension, .control, .app] { #expect(isNamed(role.rawValue), "\(role)") }
    }

    @Test func `every outcome stands in the table with its causes`() {
        for cause in Cause.allCases
        where ![.idle, .noRequest, .expired, .expiredInTime, .exited, .closed, .unrecognized].contains(cause) {
            let row = page.split(separator: "\n").first { $0.hasPrefix("| `\(cause.outcome.rawValue)` | `") }
            #expect(row?.contains("`\(cause.rawValue)`") == true, "\(cause) leads to \(cause.outcome)")
        }
    }

    @Test func `every error stands in the table with its code`() {
        for code in ExtensionHostError.Code.allCases {
            #expect(page.contains("| \(code.rawValue) | `\(code)` |"), "\(code)")
        }
        #expect(isNamed(ExtensionHostError.domain))
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
