// ConversationTests: section 10 of docs/protocol.md shows the packets of a request as the daemon sends them today.

import Foundation
import TestPrograms
import Testing

@Suite struct ConversationTests {
    @Test func thePageShowsThePacketsOfARequestToday() async throws {
        let script = SampleApplications.root + "/Scripts/conversation"
        let ending = try await Program.run(script, [SampleApplications.buildFolder, "--check"], socket: "").ending()
        #expect(ending.status == 0, "\(ending.errors)")
    }
}
