// ResponderChainTests: from a view by its controllers to the window and the application, which opens URLs.

import ExtensionFoundation
import Foundation
import Testing

@testable import UIKit

@MainActor @Suite struct ResponderChainTests {
    private func chain(from responder: UIResponder) -> [UIResponder] {
        Array(sequence(first: responder) { $0.next })
    }

    /// As an extension's principal controller is shown.
    private func shown(_ controller: UIViewController) -> UIViewController {
        controller.present()
        return controller
    }

    @Test func itEndsAtTheApplication() throws {
        let (inner, outer) = (UIViewController(), UIViewController())
        let label = UILabel()
        outer.addChild(inner)
        outer.view.addSubview(inner.view)
        inner.view.addSubview(label)
        #expect(chain(from: outer).count == 1)
        let root = shown(outer)
        let all = chain(from: label)
        #expect(all.prefix(5).elementsEqual([label, inner.view!, inner, outer.view!, outer], by: ===))
        #expect(all.dropFirst(5).map { "\(type(of: $0))" } == ["UIWindow", "UIApplication"])
        #expect(label.window === root.view.window && label.window?.rootViewController === outer)
        root.takeDown()
        #expect(label.window == nil)
    }

    @Test func whatIsPresentedGoesOnAtItsPresenter() {
        let (root, top) = (shown(UIViewController()), UIViewController())
        let stack = UINavigationController(rootViewController: top)
        root.present(stack, animated: false)
        #expect(chain(from: top.view).contains { $0 is UIApplication } && top.view.window != nil)
    }

    @Test func theApplicationIsFoundByTheMethodsThatItHas() throws {
        let root = shown(UIViewController())
        let found = chain(from: root).filter { $0.responds(to: sel_registerName("openURL:")) }
        #expect(found.count == 1 && found.first is UIApplication)
        #expect(found.first?.responds(to: NSSelectorFromString("openURL:options:completionHandler:")) == true)
        let url = try #require(URL(string: "example:"))
        _ = found.first?.perform(sel_registerName("openURL:"), with: url)
        _ = found.first?.perform(sel_registerName("openURL:"), with: NSURL(string: "example:"))
    }

    @Test func aProcessWithoutARequestOpensNothing() async throws {
        let application = try #require(chain(from: shown(UIViewController())).last as? UIApplication)
        let url = try #require(URL(string: "example:"))
        #expect(await application.open(url) == false)
        let isOpened = await withCheckedContinuation { continuation in
            application.open(url, options: [:]) { continuation.resume(returning: $0) }
        }
        #expect(!isOpened && !application.canOpenURL(url))
    }

    @Test func aMethodIsSentFromAnyThread() async throws {
        let application = try #require(chain(from: shown(UIViewController())).last)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                application.perform(sel_registerName("openURL:"), with: NSURL(string: "example:"))
                continuation.resume()
            }
        }
    }
}
