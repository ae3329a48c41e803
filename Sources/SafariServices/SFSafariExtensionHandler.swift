// SFSafariExtensionHandler: the names of an app extension of Safari for the Mac, whose browser is not simulated.

public import ExtensionFoundation
import ExtensionWire
public import Foundation

/// The facts of a page. No page exists here.
open class SFSafariPageProperties: NSObject {
    open var url: URL? { nil }
    open var title: String? { nil }
    open var usesPrivateBrowsing: Bool { false }
    open var isActive: Bool { false }
}

/// A page in a tab of the browser. None exists here.
open class SFSafariPage: NSObject {
    override init() {}
    /// Calls the handler with nil, before the method returns.
    open func getPropertiesWithCompletionHandler(_ completionHandler: @escaping (SFSafariPageProperties?) -> Void) {
        completionHandler(nil)
    }
    /// Has no effect: there is no script.
    open func dispatchMessageToScript(withName messageName: String, userInfo: [String: Any]? = nil) {}
}

/// A window of the browser. None exists here.
open class SFSafariWindow: NSObject {
    override init() {}
}

/// The controller of a popover of the browser's toolbar. It has no view: AppKit does not exist here.
open class SFSafariExtensionViewController: NSObject {
    public override init() {}
}

/// The principal object of an app extension of Safari. No browser calls it.
open class SFSafariExtensionHandler: NSObject, NSExtensionRequestHandling {
    public override init() {}

    /// Ends the request with `notSimulated`.
    open func beginRequest(with context: NSExtensionContext) {
        context.cancelRequest(
            withError: ExtensionHostError(.notSimulated, "there is no browser that speaks to this extension"))
    }

    open func messageReceived(withName messageName: String, from page: SFSafariPage, userInfo: [String: Any]?) {}
    open func messageReceivedFromContainingApp(withName messageName: String, userInfo: [String: Any]?) {}
    open func toolbarItemClicked(in window: SFSafariWindow) {}
    /// Validates the item of the toolbar. The default enables it.
    open func validateToolbarItem(
        in window: SFSafariWindow, validationHandler: @escaping (Bool, String) -> Void
    ) { validationHandler(true, "") }
    open func popoverViewController() -> SFSafariExtensionViewController { SFSafariExtensionViewController() }
    open func popoverWillShow(in window: SFSafariWindow) {}
    open func popoverDidClose(in window: SFSafariWindow) {}
}
