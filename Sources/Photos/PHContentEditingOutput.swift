// PHContentEditingOutput: the result of an edit.

public import Foundation
import Locks
public import UniformTypeIdentifiers

/// The result of an edit: a file, and the description of the edit. Safe to use from any thread.
///
/// The host refuses a result without new adjustment data, and a photo that is not an upright JPEG file.
open class PHContentEditingOutput: NSObject, @unchecked Sendable {  // all state is behind the Mutex, or constant
    private let adjustment = Mutex<PHAdjustmentData?>(nil)
    /// The description of the edit. It must be a new object (documented).
    open var adjustmentData: PHAdjustmentData? {
        get { adjustment.withLock { $0 } }
        set { adjustment.withLock { $0 = newValue } }
    }
    /// The path at which the author writes the rendering: JPEG for a photo, QuickTime for a video. Nothing is there at
    /// first, and the folder is deleted when the session ends.
    public let renderedContentURL: URL
    /// The input that the result belongs to.
    package let input: PHContentEditingInput

    /// Makes a result without a rendering.
    ///
    /// - Parameter contentEditingInput: the input of the session.
    public init(contentEditingInput: PHContentEditingInput) {
        input = contentEditingInput
        let name = contentEditingInput.mediaType == .video ? "FullSizeRender.mov" : "FullSizeRender.jpg"
        // Without the folder, as after the session, the author's attempt to write fails.
        renderedContentURL =
            (try? contentEditingInput.place(name))
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("none-\(UUID().uuidString)/\(name)")
    }

    /// The types that a rendering may have: JPEG for a photo, QuickTime for a video.
    open var supportedRenderedContentTypes: [UTType] { input.mediaType == .video ? [.quickTimeMovie] : [.jpeg] }
    /// The only supported type.
    open var defaultRenderedContentType: UTType? { supportedRenderedContentTypes.first }

    /// Returns the path for a rendering of a type, `renderedContentURL`.
    ///
    /// - Throws: `CocoaError.featureUnsupported` for another type.
    open func renderedContentURL(for type: UTType) throws -> URL {
        guard supportedRenderedContentTypes.contains(type) else { throw CocoaError(.featureUnsupported) }
        return renderedContentURL
    }
}
