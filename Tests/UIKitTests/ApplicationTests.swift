// ApplicationTests: the shared application object, and who has none.

import Foundation
import Glibc
import Testing
import UIKit

@Suite struct ApplicationTests {
    // spec: P-562
    @Test func anExtensionThatTakesTheSharedApplicationIsEndedWithTheReason() async throws {
        let result = try #require(
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
                // By this a process that has not said hello yet knows what it is.
                setenv("EXTHOST_EXTENSION_FD", "3", 1)
                _ = UIApplication.shared
            })
        let message = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(message.contains("the shared application object is not available to extensions"), "\(message)")
    }

    @MainActor @Test func anotherProgramHasOne() {
        #expect(UIApplication.shared === UIApplication.shared && UIApplication.shared.applicationState == .inactive)
    }
}
