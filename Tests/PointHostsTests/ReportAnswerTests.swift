// ReportAnswerTests: answers of a reporting extension, also those that no framework sends.

import ExtensionProtocol
import PointMessages
import Testing

@testable import PointHosts

@Suite struct ReportAnswerTests {
    private static func code(_ reply: ClassifyCommunications.Reply) -> ExtensionHostError.Code? {
        do { _ = try ReportAnswer(reply) } catch { return (error as? ExtensionHostError)?.code }
        return nil
    }

    private static func code(_ json: String) -> ExtensionHostError.Code? {
        code(ClassifyCommunications.Reply(.reportJunkAndBlockSender, userInfo: Array(json.utf8)))
    }

    private static func nested(_ levels: Int) -> String {
        #"{"a":"# + String(repeating: "[", count: levels - 1) + String(repeating: "]", count: levels - 1) + "}"
    }

    // spec: P-720
    @Test("P-720: the host itself checks the size, the form, the levels and the action of an answer") func checks() {
        let most = ClassifyCommunications.largestContent
        let long = String(repeating: "x", count: most + 1)
        #expect(Self.code(ClassifyCommunications.Reply(.reportJunk, userString: String(long.dropLast()))) == nil)
        #expect(Self.code(ClassifyCommunications.Reply(.reportJunk, userString: long)) == .invalidArgument)
        #expect(Self.code(ClassifyCommunications.Reply(.unrecognized)) == .invalidArgument)
        #expect(Self.code(#"{"a":[1,"b",null,{}]}"#) == nil && Self.code(Self.nested(32)) == nil)
        for json in [Self.nested(33), "[1]", "1", "", "{", #"{"a":""# + long + #""}"#] {
            #expect(Self.code(json) == .invalidArgument, "\(json.prefix(40))")
        }
    }

    // spec: IC-5
    @Test("IC-5: the text of a message is that of the extension, else the action and the values") func text() throws {
        let values = Array(#"{"b":1}"#.utf8)
        let own = try ReportAnswer(ClassifyCommunications.Reply(.reportJunk, userString: "mine", userInfo: values))
        #expect(try own.text() == "mine")
        let made = try ReportAnswer(ClassifyCommunications.Reply(.reportJunk, userInfo: values))
        #expect(try made.text() == #"{"action":"reportJunk","userInfo":{"b":1}}"#)
    }
}
