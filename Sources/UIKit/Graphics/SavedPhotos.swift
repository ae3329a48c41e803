// SavedPhotos: the photo album of a device, of which there is none.

public import ExtensionFoundation
import Foundation

/// Fails: there is no photo album. Without a selector, one line on standard error reports it. Safe to use from any
/// thread.
///
/// - Parameters:
///   - image: the image.
///   - completionTarget: the object of the selector; nil for none.
///   - completionSelector: called on the main thread later, with the image, an error whose words begin with
///     `notSimulated`, and the context.
///   - contextInfo: the context.
public func UIImageWriteToSavedPhotosAlbum(
    _ image: UIImage, _ completionTarget: Any?, _ completionSelector: Selector?,
    _ contextInfo: UnsafeMutableRawPointer?
) {
    let words = "notSimulated: there is no photo album"
    guard let completionTarget, let completionSelector else {
        FileHandle.standardError.write(Data("UIKit: \(words)\n".utf8))
        return
    }
    let error = CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: words])
    nonisolated(unsafe) let (target, context) = (completionTarget as AnyObject, contextInfo)
    InterfaceChanges.later { SelectorCall.send(target, completionSelector, image, error as NSError, context) }
}
