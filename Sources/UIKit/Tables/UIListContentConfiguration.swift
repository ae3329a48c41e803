// UIListContentConfiguration: what a cell shows, as a value.

public import Foundation

/// What a cell can show.
public protocol UIContentConfiguration {}

/// Texts and an image of a row. The texts are shown, and how they look is carried only.
public struct UIListContentConfiguration: UIContentConfiguration {
    public struct TextProperties {
        public var color: UIColor = .label
        public var font = UIFont.preferredFont(forTextStyle: .body)
        public var numberOfLines = 0
    }
    public struct ImageProperties {
        public var tintColor: UIColor?
        public var maximumSize = CGSize.zero
    }
    public var text: String?
    public var attributedText: NSAttributedString?
    public var secondaryText: String?
    public var image: UIImage?
    public var textProperties = TextProperties()
    public var secondaryTextProperties = TextProperties()
    public var imageProperties = ImageProperties()
    public var directionalLayoutMargins = NSDirectionalEdgeInsets.zero

    public static func cell() -> UIListContentConfiguration { UIListContentConfiguration() }
    public static func subtitleCell() -> UIListContentConfiguration { UIListContentConfiguration() }
    public static func valueCell() -> UIListContentConfiguration { UIListContentConfiguration() }
}
