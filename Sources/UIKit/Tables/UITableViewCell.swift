// UITableViewCell: a row of a table, and its possible content.

public import Foundation

/// A row of a table.
@MainActor @preconcurrency open class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable { case `default`, value1, value2, subtitle }
    public enum AccessoryType: Int, Sendable {
        case none, disclosureIndicator, detailDisclosureButton, checkmark, detailButton
    }
    public enum SelectionStyle: Int, Sendable { case none, blue, gray, `default` }
    public enum SeparatorStyle: Int, Sendable { case none, singleLine }
    public enum EditingStyle: Int, Sendable { case none, delete, insert }

    public let textLabel: UILabel? = UILabel()
    public let detailTextLabel: UILabel? = UILabel()
    public let imageView: UIImageView? = UIImageView()
    public let contentView = UIView()
    open internal(set) var reuseIdentifier: String?
    var place: IndexPath?
    open var accessoryType = AccessoryType.none { didSet { noteChange() } }
    open var accessoryView: UIView?
    /// The content. The labels show its texts.
    open var contentConfiguration: (any UIContentConfiguration)? {
        didSet {
            guard let content = contentConfiguration as? UIListContentConfiguration else { return }
            textLabel?.text = content.text ?? content.attributedText?.string
            detailTextLabel?.text = content.secondaryText
            imageView?.image = content.image
        }
    }
    open func defaultContentConfiguration() -> UIListContentConfiguration { UIListContentConfiguration() }
    open var selectionStyle = SelectionStyle.default
    open var backgroundView: UIView?
    open var selectedBackgroundView: UIView?
    open var separatorInset = UIEdgeInsets.zero
    open var isSelected = false
    open var isHighlighted = false
    open var isEditing = false
    open var indentationLevel = 0
    /// Has no effect: no cell is reused, so nothing calls it.
    open func prepareForReuse() {}
    open func setSelected(_ selected: Bool, animated: Bool) { isSelected = selected }
    open func setHighlighted(_ highlighted: Bool, animated: Bool) { isHighlighted = highlighted }
    open func setEditing(_ editing: Bool, animated: Bool) { isEditing = editing }

    public init(style: CellStyle, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: CGRect(x: 0, y: 0, width: 320, height: 44))
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    public convenience override init(frame: CGRect) { self.init(style: .default, reuseIdentifier: nil) }
}

/// The initializer by which a table makes the cells of a registered class, as `_InitializerSlot`. It is not for use.
open class _CellInitializerSlot: UITableViewCell {
    public required override init(style: CellStyle, reuseIdentifier: String?) {
        super.init(style: style, reuseIdentifier: reuseIdentifier)
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }
}

extension IndexPath {
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    public var section: Int { self[startIndex] }
    public var row: Int { self[index(after: startIndex)] }
}

extension NSIndexPath {
    public var section: Int { index(atPosition: 0) }
    public var row: Int { index(atPosition: 1) }
}

/// The content of a cell.
public protocol UIContentConfiguration {}

/// The texts and the image of a row. The texts are shown; their look has no effect.
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
