// SwiftTemplate+Photos: the template of an editor of photos.

extension SwiftTemplate {
    /// An editor of photos.
    var editor: Parts {
        var parts = Parts(
            "an editor that makes a negative of a photo",
            className: "EditingController", modules: ["PhotosUI", "UIKit"],
            run: "exthostctl run . --photo in.jpg --out out.jpg")
        parts.source = """
            // EditingController: makes a negative of a photo.

            import Foundation
            import PhotosUI
            import UIKit

            final class EditingController: UIViewController, PHContentEditingController {
                private var input: PHContentEditingInput?

                // Each edit replaces the last one, so none is continued.
                func canHandle(_ adjustmentData: PHAdjustmentData) -> Bool { false }

                func startContentEditing(with contentEditingInput: PHContentEditingInput, placeholderImage: UIImage) {
                    input = contentEditingInput
                }

                func finishContentEditing() async -> PHContentEditingOutput? {
                    guard let input, let photo = input.fullSizeImageURL else { return nil }
                    let output = PHContentEditingOutput(contentEditingInput: input)
                    output.adjustmentData = PHAdjustmentData(
                        formatIdentifier: "\(project.identifier).negative", formatVersion: "1.0", data: Data("negative".utf8))
                    let rendering = output.renderedContentURL
                    // The photo may be large, and the person may cancel meanwhile.
                    let isRendered = await Task.detached {
                        (try? Self.negative(of: photo)?.jpegData(compressionQuality: 0.9)?.write(to: rendering)) != nil
                    }.value
                    return isRendered ? output : nil
                }

                func cancelContentEditing() { input = nil }

                var shouldShowCancelConfirmation: Bool { false }

                /// Returns the negative, upright: a rendering has no orientation.
                private nonisolated static func negative(of file: URL) -> UIImage? {
                    guard let photo = UIImage(contentsOfFile: file.path) else { return nil }
                    let format = UIGraphicsImageRendererFormat()
                    format.scale = 1
                    let upright = UIGraphicsImageRenderer(size: photo.size, format: format).image { _ in photo.draw(at: .zero) }
                    guard let image = upright.cgImage, var rows = image.dataProvider?.data else { return nil }
                    rows.withUnsafeMutableBytes { bytes in
                        for place in bytes.indices { bytes[place] = place % 4 == 3 ? 255 : 255 - bytes[place] }
                    }
                    guard let provider = CGDataProvider(data: rows) else { return nil }
                    return CGImage(
                        width: image.width, height: image.height, bitsPerComponent: 8, bitsPerPixel: 32,
                        bytesPerRow: image.bytesPerRow, space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: image.bitmapInfo,
                        provider: provider, decode: nil, shouldInterpolate: false, intent: .defaultIntent
                    ).map { UIImage(cgImage: $0) }
                }
            }

            """
        parts.test = "thePhotoBecomesANegative"
        parts.session = """
                        let folder = FileManager.default.temporaryDirectory.path + "/\(name)-\\(UUID().uuidString)"
                        defer { try? FileManager.default.removeItem(atPath: folder) }
                        let library = try AssetLibrary(folder: folder)
                        // A photo of 8 by 8 black pixels.
                        let photo = try #require(
                            Data(
                                base64Encoded:
                                    "\(Self.blackPhoto)"
                            ))
                        try photo.write(to: URL(fileURLWithPath: folder + "/photo.jpg"))
                        let asset = try library.add(folder + "/photo.jpg")
                        let photos = PhotoEditingHost(host.application, library: library)
                        let session = try await photos.begin("\(project.extensionIdentifier)", editing: asset.id)
                        #expect(try await session.finish() != nil)
                        let edited = try library.asset(asset.id)
                        #expect(edited.adjustment?.formatIdentifier == "\(project.identifier).negative")
                        #expect(try await photos.changedPixels(of: edited).changed == 64)
            """
        return parts
    }

    /// A JPEG file of 8 by 8 black pixels, in base64.
    private static let blackPhoto =
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1R"
        + "V19iZ2hnPk1xeXBkeFxlZ2P/wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAB//EABQQAQAAAAAAAAAAAAAAAAAA"
        + "AAD/2gAIAQEAAD8AP3//2Q=="
}
