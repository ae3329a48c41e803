// CGImageDestination: an image file that is written.

public import CoreFoundationNames
public import Foundation
internal import ImageCodecs
internal import Locks
public import UIKit

/// A JPEG or PNG file with one image, written when it is finalized. Safe to use from any thread.
public final class CGImageDestination: Sendable {
    enum Target: @unchecked Sendable {  // the caller lends its data, as on Apple's systems
        case data(CFMutableData)
        case file(URL)
    }

    private struct State {
        var image: CGImage?
        var properties: [String: Double] = [:]
        var isFinal = false
    }

    private let target: Target
    private let format: ImageFormat
    private let state = Mutex(State())

    init?(_ target: Target, _ type: CFString, _ count: Int) {
        switch type {
        case "public.jpeg": format = .jpeg
        case "public.png": format = .png
        default:
            let words =
                "ImageIO: notSimulated: files of the type \(type.prefix(100)); write public.jpeg or public.png\n"
            FileHandle.standardError.write(Data(words.utf8))
            return nil
        }
        guard count == 1 else { return nil }
        self.target = target
    }

    func add(_ image: CGImage?, _ properties: CFDictionary?) {
        let keys = [
            kCGImageDestinationLossyCompressionQuality, kCGImageDestinationImageMaxPixelSize,
            kCGImagePropertyOrientation,
        ]
        let found = keys.compactMap { key in properties?.number(key).map { (key, $0) } }
        state.withLock { state in
            if let image, state.image == nil { state.image = image }
            for (key, value) in found { state.properties[key] = value }
        }
    }

    func finish() -> Bool {
        let (image, properties) = state.withLock { state in
            defer { state.isFinal = true }
            return (state.isFinal ? nil : state.image, state.properties)
        }
        guard let image else { return false }
        let quality = properties[kCGImageDestinationLossyCompressionQuality] ?? 0.9
        let orientation = properties[kCGImagePropertyOrientation].flatMap { UInt8(exactly: $0) } ?? 1
        let side = properties[kCGImageDestinationImageMaxPixelSize].flatMap { Int(exactly: $0.rounded()) }
        let made = Result { () throws(ImageCodecError) in
            try image.withPixels { (pixels) throws(ImageCodecError) in
                let pixels =
                    try side.map { (side) throws(ImageCodecError) in
                        try pixels.scaled(toLongestSide: side)
                    }
                    ?? pixels
                return try ImageCodec.encode(pixels, as: format, quality: quality, orientation: orientation)
            }
        }
        guard let file = ImageIOReport.value(made) else { return false }
        switch target {
        case .data(let data):
            data.append(Data(file))
            return true
        case .file(let url):
            do {
                try Data(file).write(to: url, options: .atomic)
                return true
            } catch {
                FileHandle.standardError.write(Data("ImageIO: \(url.path): \(error.localizedDescription)\n".utf8))
                return false
            }
        }
    }
}

/// Makes a destination that appends a file to bytes. Nil for other types than JPEG and PNG, and for several images.
///
/// - Parameters:
///   - data: gets the bytes of the file.
///   - type: `public.jpeg` or `public.png`.
///   - count: 1.
///   - options: no effect.
public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    CGImageDestination(.data(data), type, count)
}

/// Makes a destination that writes a file. Nil for other types than JPEG and PNG, and for several images.
///
/// - Parameters:
///   - url: the file.
///   - type: `public.jpeg` or `public.png`.
///   - count: 1.
///   - options: no effect.
public func CGImageDestinationCreateWithURL(
    _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    guard let url = url.absoluteURL, url.isFileURL else { return nil }
    return CGImageDestination(.file(url), type, count)
}

/// Sets the image.
///
/// - Parameters:
///   - destination: the file.
///   - image: the image.
///   - properties: the quality, the longest side and the orientation.
public func CGImageDestinationAddImage(
    _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) { destination.add(image, properties) }

/// Sets the image of another file, with its orientation.
///
/// - Parameters:
///   - destination: the file.
///   - source: the other file.
///   - index: 0.
///   - properties: the quality, the longest side and the orientation.
public func CGImageDestinationAddImageFromSource(
    _ destination: CGImageDestination, _ source: CGImageSource, _ index: Int, _ properties: CFDictionary?
) {
    guard let image = CGImageSourceCreateImageAtIndex(source, index, nil) else { return }
    destination.add(image, CGImageSourceCopyPropertiesAtIndex(source, index, nil))
    destination.add(nil, properties)
}

/// Sets properties that hold for the whole file.
///
/// - Parameters:
///   - destination: the file.
///   - properties: the quality, the longest side and the orientation.
public func CGImageDestinationSetProperties(_ destination: CGImageDestination, _ properties: CFDictionary?) {
    destination.add(nil, properties)
}

/// Writes the file. False without an image, at a second call, and if it cannot be encoded or written.
@discardableResult public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool {
    destination.finish()
}
