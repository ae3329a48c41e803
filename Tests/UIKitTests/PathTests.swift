// PathTests: paths, and what a context with rows of pixels draws of them.

import CoreGraphics
import Foundation
import Testing
import UIKit

@Suite struct PathTests {
    /// A context of 40 by 40 pixels with the origin in the lower left corner, and the part of it that is painted.
    private struct Sheet {
        let context: CGContext
        static let side = 40

        init() throws {
            context = try #require(
                CGContext(
                    data: nil, width: Self.side, height: Self.side, bitsPerComponent: 8, bytesPerRow: 0,
                    space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue))
        }

        /// The alpha of a pixel, counted from the upper left corner.
        func alpha(_ x: Int, _ y: Int) -> Int { channel(x, y, 3) }
        func channel(_ x: Int, _ y: Int, _ number: Int) -> Int {
            let bytes = context.data!.assumingMemoryBound(to: UInt8.self)
            return Int(bytes[y * context.bytesPerRow + x * 4 + number])
        }
        /// The sum of all alpha, in pixels.
        var area: Double {
            (0..<Self.side * Self.side).reduce(0) { $0 + Double(alpha($1 % Self.side, $1 / Self.side)) / 255 }
        }
    }

    private static func near(_ one: Double, _ other: Double, _ within: Double = 0.5) -> Bool {
        abs(one - other) <= within
    }

    @Test func shapesHaveTheirArea() throws {
        let circle = CGRect(x: 5, y: 5, width: 30, height: 30)
        let shapes: [(CGPath, Double)] = [
            (CGPath(rect: CGRect(x: 2.5, y: 3.25, width: 10, height: 7.5), transform: nil), 75),
            (CGPath(ellipseIn: circle, transform: nil), .pi * 225),
            (CGPath(roundedRect: circle, cornerWidth: 10, cornerHeight: 10, transform: nil), 900 - (4 - .pi) * 100),
            (
                UIBezierPath(
                    arcCenter: CGPoint(x: 20, y: 20), radius: 15, startAngle: 0, endAngle: .pi, clockwise: true
                ).cgPath, .pi * 112.5
            ),
            (
                UIBezierPath(
                    roundedRect: circle, byRoundingCorners: [.topLeft], cornerRadii: CGSize(width: 10, height: 10)
                ).cgPath, 900 - (4 - .pi) * 25
            ),
        ]
        for (path, area) in shapes {
            let sheet = try Sheet()
            sheet.context.addPath(path)
            sheet.context.fillPath()
            #expect(Self.near(sheet.area, area), "\(sheet.area) is not \(area)")
        }
    }

    @Test func bothRulesTellInsideFromOutside() throws {
        // Two squares in one direction: the inner one is inside by the winding number only.
        let path = CGMutablePath()
        path.addRect(CGRect(x: 5, y: 5, width: 20, height: 20))
        path.addRect(CGRect(x: 10, y: 10, width: 10, height: 10))
        for (rule, area) in [(CGPathFillRule.winding, 400.0), (.evenOdd, 300)] {
            let sheet = try Sheet()
            sheet.context.addPath(path)
            sheet.context.fillPath(using: rule)
            #expect(Self.near(sheet.area, area), "\(rule): \(sheet.area)")
            #expect(path.contains(CGPoint(x: 15, y: 15), using: rule) == (rule == .winding))
            #expect(path.contains(CGPoint(x: 7, y: 7), using: rule) && !path.contains(CGPoint(x: 1, y: 1), using: rule))
        }
        #expect(path.boundingBox == CGRect(x: 5, y: 5, width: 20, height: 20))
    }

    @Test func strokesHaveTheirWidthCapsAndCorners() throws {
        /// A line of 20 points, 4 wide.
        func line(_ cap: CGLineCap) throws -> Double {
            let sheet = try Sheet()
            sheet.context.setLineWidth(4)
            sheet.context.setLineCap(cap)
            sheet.context.move(to: CGPoint(x: 10, y: 20))
            sheet.context.addLine(to: CGPoint(x: 30, y: 20))
            sheet.context.strokePath()
            return sheet.area
        }
        #expect(try Self.near(line(.butt), 80) && Self.near(line(.square), 96))
        #expect(try Self.near(line(.round), 80 + 4 * .pi))
        /// The corner of a square of 20 points, 4 wide.
        func square(_ join: CGLineJoin) throws -> Double {
            let sheet = try Sheet()
            sheet.context.setLineWidth(4)
            sheet.context.setLineJoin(join)
            sheet.context.stroke(CGRect(x: 10, y: 10, width: 20, height: 20))
            return sheet.area
        }
        #expect(try Self.near(square(.miter), 24 * 24 - 16 * 16))
        #expect(try Self.near(square(.bevel), 320 - 4 * 2) && Self.near(square(.round), 320 - 4 * (4 - .pi)))
    }

    @Test func dashesLeaveGaps() throws {
        let sheet = try Sheet()
        sheet.context.setLineWidth(2)
        sheet.context.setLineDash(phase: 1, lengths: [3, 2])
        sheet.context.move(to: CGPoint(x: 10, y: 20))
        sheet.context.addLine(to: CGPoint(x: 30, y: 20))
        sheet.context.strokePath()
        // 2 of the first dash, then three of 3, and 1 of the last.
        #expect(Self.near(sheet.area, 24), "\(sheet.area)")
        #expect(sheet.alpha(11, 19) == 255 && sheet.alpha(12, 19) == 0 && sheet.alpha(14, 19) == 255)
    }

    @Test func dashesOfNoLengthAreDots() throws {
        let sheet = try Sheet()
        sheet.context.setLineWidth(4)
        sheet.context.setLineCap(.round)
        sheet.context.setLineDash(phase: 5, lengths: [0, 10])
        sheet.context.move(to: CGPoint(x: 5, y: 20))
        sheet.context.addLine(to: CGPoint(x: 35, y: 20))
        sheet.context.strokePath()
        // Dots after 5, 15 and 25 points.
        #expect(Self.near(sheet.area, 3 * 4 * .pi), "\(sheet.area)")
    }

    @Test func aClipLimitsAllThatFollows() throws {
        let sheet = try Sheet()
        sheet.context.saveGState()
        sheet.context.addEllipse(in: CGRect(x: 0, y: 0, width: 40, height: 40))
        sheet.context.clip()
        sheet.context.clip(to: CGRect(x: 0, y: 0, width: 20, height: 40))
        sheet.context.fill(CGRect(x: 0, y: 0, width: 40, height: 40))
        #expect(Self.near(sheet.area, .pi * 200), "\(sheet.area)")
        sheet.context.restoreGState()
        sheet.context.fill(CGRect(x: 0, y: 0, width: 40, height: 40))
        #expect(Self.near(sheet.area, 1600))
    }

    @Test func aPathKeepsItsPlacesUnderLaterTransforms() throws {
        let sheet = try Sheet()
        sheet.context.addRect(CGRect(x: 0, y: 0, width: 10, height: 10))
        sheet.context.translateBy(x: 20, y: 20)
        sheet.context.scaleBy(x: 2, y: 1)
        sheet.context.addRect(CGRect(x: 0, y: 0, width: 5, height: 10))
        #expect(sheet.context.boundingBoxOfPath.minX == -10)
        sheet.context.fillPath()
        #expect(Self.near(sheet.area, 200))
        // The lower left corner of Core Graphics is the last row.
        #expect(sheet.alpha(5, 35) == 255 && sheet.alpha(25, 15) == 255 && sheet.alpha(5, 5) == 0)
    }

    @Test func coloursAndModesAreThoseOfTheState() throws {
        let sheet = try Sheet()
        sheet.context.setFillColor(UIColor.red.cgColor)
        sheet.context.fill(CGRect(x: 0, y: 0, width: 40, height: 40))
        sheet.context.saveGState()
        sheet.context.setFillColor(UIColor.blue.cgColor)
        sheet.context.setAlpha(0.5)
        sheet.context.fill(CGRect(x: 0, y: 0, width: 10, height: 40))
        sheet.context.restoreGState()
        sheet.context.fill(CGRect(x: 30, y: 0, width: 10, height: 40))
        sheet.context.clear(CGRect(x: 15, y: 0, width: 10, height: 40))
        #expect((126...129).contains(sheet.channel(5, 5, 0)) && (126...129).contains(sheet.channel(5, 5, 2)))
        let picture = try #require(sheet.context.makeImage())
        sheet.context.setBlendMode(.clear)
        sheet.context.draw(picture, in: CGRect(x: 0, y: 0, width: 10, height: 10))
        #expect(sheet.alpha(5, 35) == 0 && sheet.alpha(5, 5) == 255)
        #expect(sheet.channel(35, 5, 0) == 255 && sheet.channel(35, 5, 2) == 0 && sheet.alpha(20, 20) == 0)
    }

    @Test func numbersThatAreNoPlacesDrawNothing() throws {
        for place in [CGFloat.nan, .infinity] {
            let sheet = try Sheet()
            sheet.context.move(to: CGPoint(x: place, y: 0))
            sheet.context.addLine(to: CGPoint(x: 10, y: place))
            sheet.context.addCurve(
                to: CGPoint(x: 1, y: 1), control1: CGPoint(x: place, y: place), control2: CGPoint(x: 0, y: place))
            sheet.context.drawPath(using: .fillStroke)
            sheet.context.setLineWidth(place)
            sheet.context.stroke(CGRect(x: 0, y: 0, width: 10, height: 10))
            sheet.context.fill(CGRect(x: place, y: 0, width: 10, height: 10))
            sheet.context.addArc(
                center: .zero, radius: place, startAngle: place, endAngle: 1, clockwise: true)
            sheet.context.fillPath()
            #expect(sheet.area == 0, "\(place): \(sheet.area)")
        }
    }

    @Test func placesFarAwayAreDrawnAsFarAsTheSheetGoes() throws {
        for place in [CGFloat(1e12), 1e40, 1e300, .greatestFiniteMagnitude] {
            let sheet = try Sheet()
            sheet.context.fill(CGRect(x: -place / 4, y: 20, width: place / 2, height: place / 4))
            #expect(Self.near(sheet.area, 800), "\(place): \(sheet.area)")
            sheet.context.clip(to: CGRect(x: -place / 4, y: -place / 4, width: place / 2, height: place / 2))
            sheet.context.fill(CGRect(x: 0, y: 0, width: 40, height: 40))
            #expect(Self.near(sheet.area, 1600), "\(place): \(sheet.area)")
            sheet.context.addEllipse(in: CGRect(x: -place / 4, y: -place / 4, width: place / 2, height: place / 2))
            sheet.context.scaleBy(x: place, y: place)
            sheet.context.drawPath(using: .fillStroke)
            _ = CGPath(ellipseIn: CGRect(x: 0, y: 0, width: place, height: place), transform: nil).boundingBoxOfPath
        }
    }

    @Test func theCurrentContextTakesWhatUIKitDraws() throws {
        let sheet = try Sheet()
        UIGraphicsPushContext(sheet.context)
        UIColor.green.setFill()
        UIRectFill(CGRect(x: 0, y: 0, width: 10, height: 10))
        UIBezierPath(rect: CGRect(x: 20, y: 20, width: 10, height: 10)).fill()
        #expect(UIGraphicsGetCurrentContext() === sheet.context)
        UIGraphicsPopContext()
        UIRectFill(CGRect(x: 0, y: 0, width: 40, height: 40))
        #expect(Self.near(sheet.area, 200) && sheet.channel(5, 35, 1) == 255)
    }

    @Test func wordsAreBoxesOfTheirLength() throws {
        let font = UIFont.systemFont(ofSize: 10)
        let attributes: [NSAttributedString.Key: Any] = [.font: font, .foregroundColor: UIColor.red]
        let size = "ab cd".size(withAttributes: attributes)
        #expect(abs(size.width - 5 * 5.5) < 0.001 && abs(size.height - font.lineHeight) < 0.001)
        let wrapped = ("ab cd" as NSString).boundingRect(
            with: CGSize(width: 15, height: 100), options: .usesLineFragmentOrigin, attributes: attributes, context: nil
        )
        #expect(abs(wrapped.height - 2 * font.lineHeight) < 0.001 && abs(wrapped.width - 11) < 0.001)
        #expect(NSAttributedString(string: "").size() == .zero)
        let sheet = try Sheet()
        UIGraphicsPushContext(sheet.context)
        "ab cd".draw(at: CGPoint(x: 2, y: 2), withAttributes: attributes)
        UIGraphicsPopContext()
        // A rectangle without a lower edge, as authors write it, is no place far away.
        let open = try Sheet()
        UIGraphicsPushContext(open.context)
        "ab cd".draw(
            in: CGRect(x: 2, y: 2, width: 36, height: CGFloat.greatestFiniteMagnitude), withAttributes: attributes)
        UIGraphicsPopContext()
        #expect(Self.near(open.area, sheet.area))
        // Two boxes of two characters, as high as small letters.
        #expect(Self.near(sheet.area, 4 * 5.5 * font.xHeight) && sheet.channel(4, 30, 0) > 0)
    }
}
