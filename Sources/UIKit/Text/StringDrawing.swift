// StringDrawing: the size of texts, and boxes in the place of their words.

public import Foundation

/// The way in which a text is measured and drawn.
public struct NSStringDrawingOptions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// The text wraps at the width; else it is one line.
    public static var usesLineFragmentOrigin: NSStringDrawingOptions { NSStringDrawingOptions(rawValue: 1) }
    public static var usesFontLeading: NSStringDrawingOptions { NSStringDrawingOptions(rawValue: 2) }
    public static var usesDeviceMetrics: NSStringDrawingOptions { NSStringDrawingOptions(rawValue: 8) }
    public static var truncatesLastVisibleLine: NSStringDrawingOptions { NSStringDrawingOptions(rawValue: 32) }
}

/// The way in which a text shrinks. It does not.
open class NSStringDrawingContext: NSObject {
    open var minimumScaleFactor: CGFloat = 0
    open var actualScaleFactor: CGFloat { 1 }
    open private(set) var totalBounds = CGRect.zero
}

/// A text as lines of boxes. There is no font here: each character is as wide as 0.55 of the font's size (ours).
private struct TextBoxes {
    private struct Word {
        var start: CGFloat
        var width: CGFloat
        var color: UIColor
        var font: UIFont
    }
    private struct Line {
        var words: [Word] = []
        var width: CGFloat = 0
        var height: CGFloat = 0
        var ascender: CGFloat = 0
    }

    private static let share: CGFloat = 0.55
    /// The characters that are laid out (ours).
    private static let mostCharacters = 100_000

    private var lines: [Line] = []
    private let alignment: NSTextAlignment

    init(_ text: NSAttributedString, width: CGFloat = .greatestFiniteMagnitude) {
        var alignment = NSTextAlignment.natural
        var line = Line()
        var isFull = false
        let whole = NSRange(location: 0, length: min(text.length, Self.mostCharacters))
        var made: [Line] = []
        text.enumerateAttributes(in: whole, options: []) { attributes, range, _ in
            let font = attributes[.font] as? UIFont ?? UIFont.systemFont(ofSize: 12)
            let color = attributes[.foregroundColor] as? UIColor ?? UIColor.black
            if let style = attributes[.paragraphStyle] as? NSParagraphStyle { alignment = style.alignment }
            let step = font.pointSize * Self.share
            func grow() {
                line.height = max(line.height, font.lineHeight)
                line.ascender = max(line.ascender, font.ascender)
            }
            func end() {
                grow()
                made.append(line)
                line = Line()
            }
            var rest = (text.string as NSString).substring(with: range)[...]
            while let character = rest.first {
                grow()
                if character.isNewline {
                    rest = rest.dropFirst()
                    end()
                } else if character.isWhitespace {
                    rest = rest.dropFirst()
                    line.width += step
                } else {
                    let word = rest.prefix { !$0.isWhitespace && !$0.isNewline }
                    rest = rest.dropFirst(word.count)
                    let size = CGFloat(word.count) * step
                    if line.width + size > width, !line.words.isEmpty {
                        end()
                        grow()
                    }
                    line.words.append(Word(start: line.width, width: size, color: color, font: font))
                    line.width += size
                }
            }
            isFull = true
        }
        if isFull { made.append(line) }
        (lines, self.alignment) = (made, alignment)
    }

    var size: CGSize {
        CGSize(
            width: lines.lazy.map { line in line.words.last.map { $0.start + $0.width } ?? 0 }.max() ?? 0,
            height: lines.reduce(0) { $0 + $1.height })
    }

    /// Draws the boxes from the upper left corner of a rectangle, within it.
    func draw(in rect: CGRect) {
        guard let context = GraphicsContexts.current, context.bitmap != nil else { return }
        context.saveGState()
        if rect.width < .greatestFiniteMagnitude { context.clip(to: rect) }
        var top = rect.minY
        for line in lines {
            let shift =
                switch alignment {
                // A text at a point has no edges.
                case _ where rect.width >= .greatestFiniteMagnitude: CGFloat(0)
                case .center: (rect.width - line.width) / 2
                case .right: rect.width - line.width
                default: CGFloat(0)
                }
            for word in line.words {
                context.setFillColor(word.color.cgColor)
                let height = word.font.xHeight
                context.fill(
                    CGRect(
                        x: rect.minX + shift + word.start, y: top + line.ascender - height, width: word.width,
                        height: height))
            }
            top += line.height
        }
        context.restoreGState()
    }
}

extension NSAttributedString {
    /// The size of the text in one line for each paragraph, in points (ours: no font is looked up).
    public func size() -> CGSize { TextBoxes(self).size }

    /// Returns the box around the text, in points.
    ///
    /// - Parameters:
    ///   - size: the largest size; its width wraps the text with `usesLineFragmentOrigin`.
    ///   - options: the options.
    ///   - context: has no effect.
    public func boundingRect(
        with size: CGSize, options: NSStringDrawingOptions = [], context: NSStringDrawingContext?
    ) -> CGRect {
        let width = options.contains(.usesLineFragmentOrigin) && size.width > 0 ? size.width : .greatestFiniteMagnitude
        return CGRect(origin: .zero, size: TextBoxes(self, width: width).size)
    }

    /// Draws boxes in the place of the words into the current context, from this upper left corner.
    public func draw(at point: CGPoint) {
        draw(in: CGRect(x: point.x, y: point.y, width: .greatestFiniteMagnitude, height: .greatestFiniteMagnitude))
    }

    /// Draws boxes in the place of the words into a rectangle of the current context.
    public func draw(in rect: CGRect) { TextBoxes(self, width: rect.width).draw(in: rect) }

    /// Draws boxes in the place of the words, as `draw(in:)`.
    public func draw(with rect: CGRect, options: NSStringDrawingOptions = [], context: NSStringDrawingContext?) {
        draw(in: rect)
    }
}

extension NSString {
    /// Returns the size of the text in one line for each paragraph, in points (ours: no font is looked up).
    public func size(withAttributes attributes: [NSAttributedString.Key: Any]? = nil) -> CGSize {
        String(self).size(withAttributes: attributes)
    }
    /// Returns the box around the text, as that of an `NSAttributedString`.
    public func boundingRect(
        with size: CGSize, options: NSStringDrawingOptions = [], attributes: [NSAttributedString.Key: Any]? = nil,
        context: NSStringDrawingContext?
    ) -> CGRect {
        String(self).boundingRect(with: size, options: options, attributes: attributes, context: context)
    }
    /// Draws boxes in the place of the words, from this upper left corner.
    public func draw(at point: CGPoint, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
        String(self).draw(at: point, withAttributes: attributes)
    }
    /// Draws boxes in the place of the words into a rectangle of the current context.
    public func draw(in rect: CGRect, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
        String(self).draw(in: rect, withAttributes: attributes)
    }
}

extension String {
    /// Returns the size of the text in one line for each paragraph, in points (ours: no font is looked up).
    public func size(withAttributes attributes: [NSAttributedString.Key: Any]? = nil) -> CGSize {
        NSAttributedString(string: self, attributes: attributes).size()
    }
    /// Returns the box around the text, as that of an `NSAttributedString`.
    public func boundingRect(
        with size: CGSize, options: NSStringDrawingOptions = [], attributes: [NSAttributedString.Key: Any]? = nil,
        context: NSStringDrawingContext?
    ) -> CGRect {
        NSAttributedString(string: self, attributes: attributes).boundingRect(
            with: size, options: options, context: context)
    }
    /// Draws boxes in the place of the words, from this upper left corner.
    public func draw(at point: CGPoint, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
        NSAttributedString(string: self, attributes: attributes).draw(at: point)
    }
    /// Draws boxes in the place of the words into a rectangle of the current context.
    public func draw(in rect: CGRect, withAttributes attributes: [NSAttributedString.Key: Any]? = nil) {
        NSAttributedString(string: self, attributes: attributes).draw(in: rect)
    }
}
