// FPUIActionExtensionViewController: the principal class of an extension for a file provider's actions.

public import FileProvider
public import UIKit

/// The view of a file provider's actions. All methods are called on the main queue.
@MainActor @preconcurrency open class FPUIActionExtensionViewController: UIViewController {
    /// The context of the action.
    open override var extensionContext: FPUIActionExtensionContext {
        super.extensionContext as? FPUIActionExtensionContext ?? FPUIActionExtensionContext()
    }

    /// Prepares the view for an action. The view is loaded, and appears afterwards (documented).
    ///
    /// - Parameters:
    ///   - actionIdentifier: the identifier that the extension's `NSExtensionFileProviderActions` declare.
    ///   - itemIdentifiers: the items for which the action's rule holds.
    open func prepare(forAction actionIdentifier: String, itemIdentifiers: [NSFileProviderItemIdentifier]) {}

    /// Prepares the view for an error of the provider, such as `notAuthenticated`.
    open func prepare(forError error: any Error) {}
}
