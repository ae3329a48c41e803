// ErrorsPageTests: what docs/errors.md says of errors, causes and violations is what the code does with them.

import ExtensionProtocol
import Testing

@Suite struct ErrorsPageTests {
    private let page: DocumentPage

    init() throws { page = try DocumentPage("errors.md") }

    @Test func `every error has in the table the remedy and the exit status that it has in the code`() throws {
        let rows = try page.rows(of: "code", "name", "when", "remedy", "status")
        #expect(rows.count == ExtensionHostError.Code.allCases.count)
        for (row, code) in zip(rows, ExtensionHostError.Code.allCases) {
            #expect(row[3] == code.remedy, "\(code)")
            let refused = code.isRefusal ? ", \(OutcomeKind.refused.exitStatus)" : ""
            #expect(row[4] == "\(code.exitStatus)\(refused)", "\(code)")
        }
    }

    @Test func `every exit status that an error or an outcome leads to is explained`() throws {
        let explained = Set(try page.rows(of: "status", "meaning").map { $0[0] })
        for code in ExtensionHostError.Code.allCases { #expect(explained.contains("\(code.exitStatus)"), "\(code)") }
        let rows = try page.rows(of: "outcome", "status")
        #expect(rows == OutcomeKind.allCases.map { ["`\($0.rawValue)`", "\($0.exitStatus)"] })
        for outcome in OutcomeKind.allCases { #expect(explained.contains("\(outcome.exitStatus)"), "\(outcome)") }
    }

    @Test func `every cause has in the table the outcome that it has in the code, and one of six that decide`() throws {
        let rows = try page.rows(of: "cause", "who decides", "outcome", "when", "what to do")
        #expect(rows.count == Cause.allCases.count)
        for (row, cause) in zip(rows, Cause.allCases) {
            #expect(["extension", "host", "operator", "daemon", "system", "kit"].contains(row[1]), "\(cause)")
            let endsRequests = ![
                .idle, .noRequest, .expiredInTime, .expired, .exited, .closed, .wakeExpired, .unrecognized,
            ]
            .contains(
                cause)
            #expect(row[2] == (endsRequests ? "`\(cause.outcome.rawValue)`" : "–"), "\(cause)")
        }
    }

    @Test func `every violation stands in the table with a section of the protocol page, and no other`() throws {
        let rows = try page.rows(of: "name", "what the peer did", "section")
        #expect(rows.map { $0[0] } == Self.violations.map { "`\(name(of: $0))`" })
        let protocolPage = try DocumentPage("protocol.md").text
        for row in rows { #expect(protocolPage.contains("# \(row[2])"), "section \(row[2]) of \(row[0])") }
    }

    @Test(arguments: ExtensionHostError.Code.allCases)
    func `an error without a remedy of its own has that of its code`(code: ExtensionHostError.Code) {
        #expect(ExtensionHostError(code, "it failed").remedy == code.remedy)
        #expect(ExtensionHostError(code, "it failed", remedy: "Mend it").remedy == "Mend it")
        #expect(!code.remedy.isEmpty && !code.remedy.hasSuffix(".") && code.remedy.count <= 90)
    }

    /// One of each; a new case makes `name(of:)` incomplete, and then belongs here, too.
    private static let violations: [ProtocolError] = [
        .truncated(bytes: 0), .empty, .oversized(bytes: 0), .lengthMismatch(header: 0, packet: 0), .unknownFlags(0),
        .tooManyDescriptors, .missingPayloadDescriptor, .badPayloadDescriptor(""), .badPropertyList(""),
        .notADictionary,
        .missing(key: "", kind: ""), .wrongType(key: "", kind: ""), .unknownKind(0), .unexpected(kind: "", state: ""),
        .serialOutOfOrder(expected: 0, got: 0), .creditExceeded(packets: 0, bytes: 0), .badCredit, .unknownReply(0),
        .versionMismatch(ours: "", theirs: ""), .badIdentity(""),
    ]

    private func name(of violation: ProtocolError) -> String {
        switch violation {
        case .truncated: "truncated"
        case .empty: "empty"
        case .oversized: "oversized"
        case .lengthMismatch: "lengthMismatch"
        case .unknownFlags: "unknownFlags"
        case .tooManyDescriptors: "tooManyDescriptors"
        case .missingPayloadDescriptor: "missingPayloadDescriptor"
        case .badPayloadDescriptor: "badPayloadDescriptor"
        case .badPropertyList: "badPropertyList"
        case .notADictionary: "notADictionary"
        case .missing: "missing"
        case .wrongType: "wrongType"
        case .unknownKind: "unknownKind"
        case .unexpected: "unexpected"
        case .serialOutOfOrder: "serialOutOfOrder"
        case .creditExceeded: "creditExceeded"
        case .badCredit: "badCredit"
        case .unknownReply: "unknownReply"
        case .versionMismatch: "versionMismatch"
        case .badIdentity: "badIdentity"
        }
    }
}
