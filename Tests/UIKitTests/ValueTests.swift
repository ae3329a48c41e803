// ValueTests: what shells work out: colours, sizes of images, transforms, coordinates and what a bundle's catalogues
// hold.

import CoreGraphics
import Foundation
import MobileCoreServices
import QuartzCore
import Testing
import UIKit

@MainActor @Suite struct ValueTests {
    @Test func coloursHaveComponentsInEveryForm() {
        let color = UIColor(hue: 1 / 3, saturation: 1, brightness: 0.5, alpha: 0.25)
        #expect(color.cgColor.components == [0, 0.5, 0, 0.25])
        var (red, green, hue): (CGFloat, CGFloat, CGFloat) = (1, 1, 1)
        color.getRed(&red, green: &green, blue: nil, alpha: nil)
        color.getHue(&hue, saturation: nil, brightness: nil, alpha: nil)
        #expect(red == 0 && green == 0.5 && abs(hue - 1 / 3) < 1e-9)
        #expect(UIColor { $0.userInterfaceStyle == .dark ? .black : .white } == .systemBackground)
        #expect(UIColor.label.withAlphaComponent(0) != .label && UIColor(named: "no such colour") == nil)
    }

    @Test func geometryIsPrintedAsOnApplesSystems() {
        let frame = CGRect(x: 1, y: 2, width: -3, height: 4.5)
        #expect("\(frame)" == "(1.0, 2.0, -3.0, 4.5)" && "\(frame.origin)" == "(1.0, 2.0)")
        #expect(frame.size.debugDescription == "(-3.0, 4.5)")
    }

    @Test func aSpaceOfColoursHasAKnownName() {
        #expect(CGColorSpace(name: CGColorSpace.displayP3)?.name == CGColorSpace.displayP3)
        #expect(CGColorSpace(name: "no such space") == nil && CGColorSpaceCreateDeviceRGB().name == nil)
    }

    @Test func anImagesHeaderTellsItsSize() {
        let png: [UInt8] = [
            0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 1, 0, 0, 0, 0, 32,
        ]
        let gif: [UInt8] = [0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 3, 1, 2, 0]
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC2, 0, 11, 8, 0, 7, 1, 2, 3]
        #expect(UIImage(data: Data(png), scale: 2)?.size == CGSize(width: 128, height: 16))
        #expect(UIImage(data: Data(gif))?.size == CGSize(width: 259, height: 2))
        #expect(UIImage(data: Data(jpeg))?.size == CGSize(width: 258, height: 7))
        #expect(UIImage(data: Data(jpeg.prefix(12)))?.size == .zero && UIImage(data: Data([1]))?.size == .zero)
        #expect(UIImage(systemName: "star")?.pngData() == nil)
    }

    @Test func aContextGivesTheImageThatWasDrawnLast() {
        let image = UIImage(data: Data([1, 2, 3]))
        UIGraphicsBeginImageContextWithOptions(CGSize(width: 10, height: 5), false, 1)
        image?.draw(in: .zero)
        let drawn = UIGraphicsGetImageFromCurrentImageContext()
        UIGraphicsEndImageContext()
        #expect(drawn?.size.width == 10 && drawn?.jpegData(compressionQuality: 0.5) == image?.data)
        #expect(UIGraphicsGetImageFromCurrentImageContext() == nil)
        #expect(UIGraphicsImageRenderer(size: .zero).image { _ in image?.draw(at: .zero) }.data.count == 3)
    }

    @Test func transformsMapPoints() {
        let both = CGAffineTransform(translationX: 3, y: 4).scaledBy(x: 2, y: 2)
        #expect(CGPoint(x: 1, y: 1).applying(both) == CGPoint(x: 5, y: 6))
        #expect(CGPoint(x: 5, y: 6).applying(both.inverted()) == CGPoint(x: 1, y: 1))
        #expect(CGRect(x: 0, y: 0, width: 1, height: 2).applying(both).size == CGSize(width: 2, height: 4))
    }

    @Test func pointsAreConvertedBetweenViews() {
        let (outer, inner, other) = (UIView(), UIView(), UIScrollView())
        outer.addSubview(inner)
        outer.addSubview(other)
        inner.frame = CGRect(x: 10, y: 20, width: 5, height: 5)
        other.frame = CGRect(x: 1, y: 2, width: 3, height: 4)
        #expect(inner.convert(CGPoint(x: 1, y: 1), to: other) == CGPoint(x: 10, y: 19))
        #expect(inner.convert(CGPoint(x: 10, y: 19), from: other) == CGPoint(x: 1, y: 1))
        #expect(outer.hitTest(CGPoint(x: 0, y: 0), with: nil) == nil)
    }

    @Test func aViewHasALayerOfItsClass() {
        final class Gradient: UIView {
            override class var layerClass: AnyClass { CAGradientLayer.self }
        }
        #expect(Gradient().layer is CAGradientLayer && UIView().layer.sublayers == nil)
    }

    @Test func aCatalogueInTheBundleHasColoursAndImages() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let set = folder.appendingPathComponent("Assets.xcassets/Theme/tint.colorset")
        try FileManager.default.createDirectory(at: set, withIntermediateDirectories: true)
        let text = """
            {"colors": [{"idiom": "universal", "color": {"color-space": "srgb",
            "components": {"red": "0xFF", "green": "0.500", "blue": "51", "alpha": "1.000"}}}]}
            """
        try Data(text.utf8).write(to: set.appendingPathComponent("Contents.json"))
        try Data([7]).write(to: folder.appendingPathComponent("logo@2x.png"))
        let bundle = try #require(Bundle(path: folder.path))
        #expect(UIColor(named: "tint", in: bundle)?.cgColor.components == [1, 0.5, 0.2, 1])
        func refer(to name: String) throws -> UIColor? {
            let text = #"{"colors": [{"idiom": "universal", "color": {"platform": "ios", "reference": "\#(name)"}}]}"#
            try Data(text.utf8).write(to: set.appendingPathComponent("Contents.json"))
            return UIColor(named: "tint", in: bundle)
        }
        #expect(try refer(to: "secondaryLabelColor")?.cgColor.components == UIColor.secondaryLabel.cgColor.components)
        #expect(try refer(to: "noColor") == nil)
        #expect(UIImage(named: "logo", in: bundle)?.data == Data([7]))
        #expect(UIImage(named: "none", in: bundle) == nil)
    }

    @Test func aPasteboardKeepsOneValueOfMany() {
        UIPasteboard.general.string = "text"
        #expect(
            UIPasteboard.general.hasStrings && UIPasteboard.general.string == "text" && UIPasteboard.general.url == nil)
        UIPasteboard.general.items = []
        #expect(!UIPasteboard.general.hasStrings && UIPasteboard.general.changeCount >= 2)
    }

    @Test func anOldIdentifierConformsAsItsTypeDoes() {
        #expect(UTTypeConformsTo(kUTTypeJPEG, kUTTypeImage) && !UTTypeConformsTo(kUTTypeImage, kUTTypeJPEG))
        #expect(UTTypeEqual("PUBLIC.Image", kUTTypeImage))
        let made = UTTypeCreatePreferredIdentifierForTag(kUTTagClassFilenameExtension, "png", kUTTypeImage)
        #expect(made?.takeRetainedValue() == "public.png")
        #expect(UTTypeCopyPreferredTagWithClass(kUTTypePNG, kUTTagClassMIMEType)?.takeRetainedValue() == "image/png")
    }

    @Test func aPriorityIsChangedByAWeight() {
        #expect(UILayoutPriority.defaultHigh - 1 == UILayoutPriority(749))
        #expect(.defaultLow + 0.5 == UILayoutPriority(250.5))
    }

    @Test func aScrollTakesNoTouchFromAControl() {
        let scroll = UIScrollView()
        #expect(scroll.canCancelContentTouches)
        #expect(scroll.touchesShouldCancel(in: UIView()) && !scroll.touchesShouldCancel(in: UIButton()))
    }
}
