// SafariServicesTests: what there is of it without a browser.

import Foundation
@testable import SafariServices
import Testing

@Suite struct SafariServicesTests {
    // not simulated: N-062
    @Test func aBrowserOfTheMacIsNotAsked() async {
        let answer = await withCheckedContinuation { continuation in
            SFSafariExtensionManager.getStateOfSafariExtension(withIdentifier: "org.example") { state, error in
                continuation.resume(returning: state == nil && (error as? ExtensionHostError)?.code == .notSimulated)
            }
        }
        #expect(answer)
    }

    @Test func anAppExtensionOfTheMacHasItsNames() {
        final class Handler: SFSafariExtensionHandler {}
        let handler = Handler()
        var isEnabled = false
        handler.validateToolbarItem(in: SFSafariWindow()) { enabled, badge in isEnabled = enabled && badge.isEmpty }
        #expect(isEnabled && type(of: handler.popoverViewController()) == SFSafariExtensionViewController.self)
        var properties: [SFSafariPageProperties?] = []
        SFSafariPage().getPropertiesWithCompletionHandler { properties.append($0) }
        #expect(properties.count == 1 && properties[0] == nil)
    }

    @Test func aProcessWithoutADaemonReachesNoBrowser() async {
        let error = await withCheckedContinuation { continuation in
            SFContentBlockerManager.reloadContentBlocker(withIdentifier: "org.example.blocker") {
                continuation.resume(returning: $0)
            }
        }
        #expect((error as? ExtensionHostError)?.code == .noDaemon)
    }

    @Test func messagesLieUnderSafarisKeys() {
        let item = NSExtensionItem()
        item.userInfo = [SFExtensionMessageKey: ["Response": "Received"]]
        #expect((item.userInfo?["message"] as? [String: String])?["Response"] == "Received")
    }
}
