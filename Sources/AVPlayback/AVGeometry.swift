// AVGeometry: the place of a picture in a frame.

public import Foundation

/// Returns the largest rectangle of a shape that fits into another rectangle, in its middle.
///
/// - Parameters:
///   - aspectRatio: the shape, as a width and a height.
///   - boundingRect: the rectangle around it.
public func AVMakeRect(aspectRatio: CGSize, insideRect boundingRect: CGRect) -> CGRect {
    let scale = min(boundingRect.width / aspectRatio.width, boundingRect.height / aspectRatio.height)
    guard scale.isFinite else { return CGRect(x: boundingRect.midX, y: boundingRect.midY, width: 0, height: 0) }
    let (width, height) = (aspectRatio.width * scale, aspectRatio.height * scale)
    return CGRect(
        x: boundingRect.midX - width / 2, y: boundingRect.midY - height / 2, width: width, height: height)
}
