// PHContentEditingController: the methods of a photo editing extension, under Apple's names.

public import ExtensionFoundation
import ExtensionPointKit
public import Foundation
public import Photos
import PointFrameworkKit
public import UIKit

/// The context of a photo editing extension. It has no members of its own.
open class PHEditingExtensionContext: NSExtensionContext, @unchecked Sendable {}  // it has no state

/// The methods of the principal class of a photo editing extension. All are called on the main queue.
///
/// A class writes one of the two forms of `finishContentEditing`, as Swift imports both on Apple's systems.
@MainActor @preconcurrency public protocol PHContentEditingController: NSObjectProtocol {
    /// Returns whether the extension can continue an earlier edit. If so, it gets the original and the data.
    func canHandle(_ adjustmentData: PHAdjustmentData) -> Bool

    /// Begins an edit. The view is loaded, and appears afterwards (documented).
    ///
    /// - Parameters:
    ///   - contentEditingInput: the asset.
    ///   - placeholderImage: the asset's current state, also if the input is the original.
    func startContentEditing(with contentEditingInput: PHContentEditingInput, placeholderImage: UIImage)

    /// Makes the result. The person can do nothing more but cancel.
    ///
    /// - Parameter completionHandler: takes an output that was made from the input of this session, or nil for nothing
    ///   to save. It may be called from any thread, counts once, and has 60 s (`CallLimits`).
    func finishContentEditing(completionHandler: @escaping (PHContentEditingOutput?) -> Void)

    /// The other form of `finishContentEditing(completionHandler:)`.
    func finishContentEditing() async -> PHContentEditingOutput?

    /// Ends the edit without a result, perhaps while the result is being made. A later call of the completion handler
    /// is ignored and logged.
    func cancelContentEditing()

    /// Whether the person must confirm that the edit is lost.
    var shouldShowCancelConfirmation: Bool { get }
}

extension PHContentEditingController {
    public func finishContentEditing(completionHandler: @escaping (PHContentEditingOutput?) -> Void) {
        PointSession.notWritten()
    }

    public func finishContentEditing() async -> PHContentEditingOutput? {
        PointSession.notWritten()
        return nil
    }
}
