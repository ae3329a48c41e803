// ConversationTests: the recorded conversation of the docs is one that takes place today.

import Foundation
import Testing

@Suite struct ConversationTests {
    @Test func thePageShowsThePacketsOfAConversationToday() async throws {
        let script = SampleApplications.root + "/Scripts/conversation"
        let ending = try await Program.run(script, [SampleApplications.buildFolder, "--check"], socket: "").ending()
        #expect(ending.status == 0, "\(ending.errors)")
    }
}
