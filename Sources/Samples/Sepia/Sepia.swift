// Sepia: a photo editing extension that gives a photo the brown of old prints.

import ExtensionFoundation
import Foundation
import PhotosUI
import UIKit

final class SepiaController: UIViewController, PHContentEditingController {
    private let imageView = UIImageView(frame: CGRect(x: 0, y: 0, width: 375, height: 500))
    private let label = UILabel(frame: CGRect(x: 16, y: 516, width: 343, height: 32))
    private var input: PHContentEditingInput?
    private var edit = SepiaEdit() {
        didSet { label.text = "\(edit.percent) %" }
    }
    /// Whether the person has changed something, which a cancel would lose.
    private var isChanged = false

    override func viewDidLoad() {
        super.viewDidLoad()
        label.accessibilityIdentifier = "strength"
        view.addSubview(imageView)
        view.addSubview(label)
        for (title, change) in [("Weaker", -20), ("Stronger", 20)] {
            let action = UIAction(title: title) { [weak self] _ in self?.change(by: change) }
            view.addSubview(UIButton(type: .system, primaryAction: action))
        }
    }

    private func change(by percent: Int) {
        edit.percent = min(max(edit.percent + percent, 0), 100)
        isChanged = true
    }

    // MARK: The edit

    func canHandle(_ adjustmentData: PHAdjustmentData) -> Bool { SepiaEdit(adjustmentData) != nil }

    func startContentEditing(with contentEditingInput: PHContentEditingInput, placeholderImage: UIImage) {
        input = contentEditingInput
        imageView.image = placeholderImage
        // An earlier edit of this extension goes on where it ended; its input is the original.
        edit = contentEditingInput.adjustmentData.flatMap { SepiaEdit($0) } ?? SepiaEdit()
    }

    func finishContentEditing() async -> PHContentEditingOutput? {
        guard let input, let photo = input.fullSizeImageURL else { return nil }
        let output = PHContentEditingOutput(contentEditingInput: input)
        let (edit, rendering) = (edit, output.renderedContentURL)
        // A large photo takes a while, and the person may cancel meanwhile.
        let isRendered = await Task.detached {
            guard let image = edit.image(of: photo), let file = image.jpegData(compressionQuality: 0.9) else {
                return false
            }
            return (try? file.write(to: rendering)) != nil
        }
        .value
        guard isRendered else { return nil }
        output.adjustmentData = edit.adjustmentData
        return output
    }

    func cancelContentEditing() { input = nil }

    var shouldShowCancelConfirmation: Bool { isChanged }
}

/// An edit: how brown the photo is.
struct SepiaEdit: Codable, Sendable {
    private static let formatIdentifier = "org.exthost.samples.sepia"
    private static let formatVersion = "1.0"

    var percent = 80

    init() {}

    /// Reads the data of an earlier edit; nil for that of another extension or of a later version.
    init?(_ data: PHAdjustmentData) {
        guard data.formatIdentifier == Self.formatIdentifier, data.formatVersion == Self.formatVersion,
            let edit = try? JSONDecoder().decode(Self.self, from: data.data)
        else { return nil }
        self = edit
    }

    var adjustmentData: PHAdjustmentData {
        PHAdjustmentData(
            formatIdentifier: Self.formatIdentifier, formatVersion: Self.formatVersion,
            data: (try? JSONEncoder().encode(self)) ?? Data())
    }

    /// Returns the edited photo, upright. Two copies of its pixels are in memory at once, and no more.
    func image(of file: URL) -> UIImage? {
        guard let photo = Self.upright(file), var rows = photo.rows else { return nil }
        rows.withUnsafeMutableBytes { apply(to: $0) }
        guard let provider = CGDataProvider(data: rows) else { return nil }
        let image = CGImage(
            width: photo.width, height: photo.height, bitsPerComponent: 8, bitsPerPixel: 32,
            bytesPerRow: photo.width * 4, space: CGColorSpaceCreateDeviceRGB(),
            bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.noneSkipLast.rawValue), provider: provider, decode: nil,
            shouldInterpolate: false, intent: .defaultIntent)
        return image.map { UIImage(cgImage: $0) }
    }

    /// Turns the pixels upright: a rendering has its orientation baked in.
    private static func upright(_ file: URL) -> (width: Int, height: Int, rows: Data?)? {
        guard let photo = UIImage(contentsOfFile: file.path) else { return nil }
        let format = UIGraphicsImageRendererFormat()
        format.scale = 1
        let upright = UIGraphicsImageRenderer(size: photo.size, format: format).image { _ in photo.draw(at: .zero) }
        guard let image = upright.cgImage else { return nil }
        return (image.width, image.height, image.dataProvider?.data)
    }

    /// Mixes each pixel with its brown. The weights are those of the sepia filter of W3C's Filter Effects.
    private func apply(to rows: UnsafeMutableRawBufferPointer) {
        let pixels = rows.bindMemory(to: UInt8.self)
        let (strong, weak) = (percent, 100 - percent)
        var place = 0
        while place + 3 < pixels.count {
            let (red, green, blue) = (Int(pixels[place]), Int(pixels[place + 1]), Int(pixels[place + 2]))
            let brown = (
                (393 * red + 769 * green + 189 * blue) / 1000, (349 * red + 686 * green + 168 * blue) / 1000,
                (272 * red + 534 * green + 131 * blue) / 1000
            )
            pixels[place] = UInt8(min(255, (strong * brown.0 + weak * red) / 100))
            pixels[place + 1] = UInt8(min(255, (strong * brown.1 + weak * green) / 100))
            pixels[place + 2] = UInt8(min(255, (strong * brown.2 + weak * blue) / 100))
            place += 4
        }
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
