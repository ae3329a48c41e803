// SavedPhotos: the photo album of a device, of which there is none.

public import ExtensionFoundation
import Foundation

/// Fails: there is no photo album.
///
/// - Parameters:
///   - image: the image.
///   - completionTarget: the object of the selector; nil for none.
///   - completionSelector: called on the main thread later, with the image, an error whose words begin with
///     `notSimulated`, and the context.
///   - contextInfo: the context.
@MainActor @preconcurrency public func UIImageWriteToSavedPhotosAlbum(
    _ image: UIImage, _ completionTarget: Any?, _ completionSelector: Selector?,
    _ contextInfo: UnsafeMutableRawPointer?
) {
    guard let completionTarget, let completionSelector else { return }
    let error = CocoaError(
        .featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "notSimulated: there is no photo album"])
    nonisolated(unsafe) let (target, context) = (completionTarget as AnyObject, contextInfo)
    InterfaceChanges.later { SelectorCall.send(target, completionSelector, image, error as NSError, context) }
}
