// CatalogueTests: every event has a MESSAGE_ID of its own, and a word of explanation under it.

import EventLog
import ExtensionProtocol
import Foundation
import Testing

@Suite struct CatalogueTests {
    @Test func everyEventIsExplainedOnceAndNothingElseIs() throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        let text = try String(contentsOfFile: "\(root)/systemd/exthost.catalog", encoding: .utf8)
        let entries = text.components(separatedBy: "\n-- ").dropFirst()
        let identifiers = entries.map { String($0.prefix(32)) }
        let events = EventName.allCases.map(\.messageIdentifier)
        #expect(Set(events).count == events.count && Set(identifiers).count == identifiers.count)
        #expect(Set(events).isSubset(of: identifiers), "\(Set(events).subtracting(identifiers))")
        // Two more: what an extension prints and what the log drops are no events.
        #expect(identifiers.count == events.count + 2)
        for identifier in identifiers {
            #expect(identifier.allSatisfy { $0.isHexDigit && !$0.isUppercase }, "\(identifier)")
        }
        for entry in entries {
            let lines = entry.components(separatedBy: "\n")
            #expect(
                lines.count > 4 && lines[1].hasPrefix("Subject: ") && lines[2] == "Defined-By: exthostd"
                    && lines[3].isEmpty)
            #expect(!lines[4].isEmpty, "\(lines[1])")
        }
    }
}
