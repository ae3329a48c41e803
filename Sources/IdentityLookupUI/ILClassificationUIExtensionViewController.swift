// ILClassificationUIExtensionViewController: the principal class of an extension that reports messages and calls.

public import IdentityLookup
import PointFrameworkKit
public import UIKit

/// The view in which a person reports messages or calls. All methods are called on the main queue.
@MainActor @preconcurrency open class ILClassificationUIExtensionViewController: UIViewController {
    /// The context of the report.
    open override var extensionContext: ILClassificationUIExtensionContext {
        super.extensionContext as? ILClassificationUIExtensionContext ?? ILClassificationUIExtensionContext()
    }

    /// Prepares the controller for the communications.
    ///
    /// The view is loaded afterwards (header). That of a controller from a storyboard is loaded before: public
    /// extensions use their outlets here.
    ///
    /// - Parameter request: an `ILMessageClassificationRequest` or an `ILCallClassificationRequest`.
    open func prepare(for request: ILClassificationRequest) {}

    /// Answers, after the person has pressed Done. Without the method, the answer is `none`.
    ///
    /// - Parameter request: the request of `prepare(for:)`.
    open func classificationResponse(for request: ILClassificationRequest) -> ILClassificationResponse {
        PointSession.notWritten("classificationResponse(for:) of ILClassificationUIExtensionViewController")
        return ILClassificationResponse(action: .none)
    }
}
