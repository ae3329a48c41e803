// UICollectionViewLayout: layouts of items as stored values: nothing is laid out.

public import Foundation

/// The place of an item. A shell: it has the requested size, and lies at the top left.
@MainActor @preconcurrency open class UICollectionViewLayoutAttributes: NSObject {
    open var indexPath = IndexPath(item: 0, section: 0)
    open var frame = CGRect.zero
    open var alpha: CGFloat = 1
    open var zIndex = 0
    open var isHidden = false
    open var transform = CGAffineTransform.identity
    open internal(set) var representedElementKind: String?

    public override init() { super.init() }

    public convenience init(forCellWith indexPath: IndexPath) {
        self.init()
        self.indexPath = indexPath
    }

    public convenience init(forSupplementaryViewOfKind kind: String, with indexPath: IndexPath) {
        self.init(forCellWith: indexPath)
        representedElementKind = kind
    }

    open var size: CGSize {
        get { frame.size }
        set { frame.size = newValue }
    }
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }
    open var center: CGPoint {
        get { CGPoint(x: frame.midX, y: frame.midY) }
        set { frame.origin = CGPoint(x: newValue.x - frame.width / 2, y: newValue.y - frame.height / 2) }
    }
}

/// A layout. A shell: the collection stores it and never calls it, so an author's overrides have no effect.
@MainActor @preconcurrency open class UICollectionViewLayout: NSObject {
    open internal(set) weak var collectionView: UICollectionView?

    public override init() { super.init() }
    public required init?(coder: NSCoder) { super.init() }

    open var collectionViewContentSize: CGSize { collectionView?.bounds.size ?? .zero }
    open func prepare() {}
    open func invalidateLayout() {}
    open func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool { false }
    open func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? { nil }

    /// Returns attributes with the size of the item.
    open func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
        let attributes = UICollectionViewLayoutAttributes(forCellWith: indexPath)
        attributes.size = collectionView?.itemSize(at: indexPath) ?? .zero
        return attributes
    }

    open func layoutAttributesForSupplementaryView(
        ofKind kind: String, at indexPath: IndexPath
    ) -> UICollectionViewLayoutAttributes? {
        UICollectionViewLayoutAttributes(forSupplementaryViewOfKind: kind, with: indexPath)
    }
}

/// A layout of items in lines. It has one effect: a header or footer exists if its size is not zero.
@MainActor @preconcurrency open class UICollectionViewFlowLayout: UICollectionViewLayout {
    public nonisolated static var automaticSize: CGSize { CGSize(width: 1.7976931348623157e+308, height: 0) }

    open var itemSize = CGSize(width: 50, height: 50)
    open var estimatedItemSize = CGSize.zero
    open var minimumLineSpacing: CGFloat = 10
    open var minimumInteritemSpacing: CGFloat = 10
    open var sectionInset = UIEdgeInsets.zero
    open var headerReferenceSize = CGSize.zero
    open var footerReferenceSize = CGSize.zero
    open var scrollDirection = UICollectionView.ScrollDirection.vertical
    open var sectionHeadersPinToVisibleBounds = false
    open var sectionFootersPinToVisibleBounds = false
}

/// A layout of items in groups. It has no effect: the closure that makes a section is never called.
@MainActor @preconcurrency open class UICollectionViewCompositionalLayout: UICollectionViewLayout {
    public convenience init(section: NSCollectionLayoutSection) { self.init() }
    public convenience init(
        sectionProvider: @escaping (Int, any NSCollectionLayoutEnvironment) -> NSCollectionLayoutSection?
    ) { self.init() }
}

/// The space around a section. None is ever made.
@MainActor @preconcurrency public protocol NSCollectionLayoutEnvironment: NSObjectProtocol {
    var container: any NSCollectionLayoutContainer { get }
    var traitCollection: UITraitCollection { get }
}

/// The size around a section. None is ever made.
@MainActor @preconcurrency public protocol NSCollectionLayoutContainer: NSObjectProtocol {
    var contentSize: CGSize { get }
    var effectiveContentSize: CGSize { get }
    var contentInsets: NSDirectionalEdgeInsets { get }
}

/// A width or height. It has no effect.
open class NSCollectionLayoutDimension: NSObject {
    public let dimension: CGFloat
    public let isFractionalWidth: Bool
    public let isFractionalHeight: Bool
    public let isAbsolute: Bool
    public let isEstimated: Bool

    private init(_ dimension: CGFloat, width: Bool = false, height: Bool = false, fixed: Bool = false) {
        self.dimension = dimension
        (isFractionalWidth, isFractionalHeight, isAbsolute) = (width, height, fixed)
        isEstimated = !width && !height && !fixed
    }

    open class func fractionalWidth(_ part: CGFloat) -> NSCollectionLayoutDimension {
        NSCollectionLayoutDimension(part, width: true)
    }
    open class func fractionalHeight(_ part: CGFloat) -> NSCollectionLayoutDimension {
        NSCollectionLayoutDimension(part, height: true)
    }
    open class func absolute(_ length: CGFloat) -> NSCollectionLayoutDimension {
        NSCollectionLayoutDimension(length, fixed: true)
    }
    open class func estimated(_ length: CGFloat) -> NSCollectionLayoutDimension { NSCollectionLayoutDimension(length) }
}

/// A size. It has no effect.
open class NSCollectionLayoutSize: NSObject {
    public let widthDimension: NSCollectionLayoutDimension
    public let heightDimension: NSCollectionLayoutDimension

    public init(widthDimension: NSCollectionLayoutDimension, heightDimension: NSCollectionLayoutDimension) {
        self.widthDimension = widthDimension
        self.heightDimension = heightDimension
    }
}

/// The distances between items. They have no effect.
open class NSCollectionLayoutSpacing: NSObject {
    public let spacing: CGFloat
    private init(_ spacing: CGFloat) { self.spacing = spacing }
    open class func fixed(_ spacing: CGFloat) -> NSCollectionLayoutSpacing { NSCollectionLayoutSpacing(spacing) }
    open class func flexible(_ spacing: CGFloat) -> NSCollectionLayoutSpacing { NSCollectionLayoutSpacing(spacing) }
}

/// An item of a group. It has no effect.
open class NSCollectionLayoutItem: NSObject {
    public let layoutSize: NSCollectionLayoutSize
    open var contentInsets = NSDirectionalEdgeInsets.zero

    public init(layoutSize: NSCollectionLayoutSize) { self.layoutSize = layoutSize }
}

/// A row or column of items. It has no effect.
open class NSCollectionLayoutGroup: NSCollectionLayoutItem {
    open private(set) var subitems: [NSCollectionLayoutItem] = []
    open var interItemSpacing: NSCollectionLayoutSpacing?

    private class func group(_ size: NSCollectionLayoutSize, _ items: [NSCollectionLayoutItem])
        -> NSCollectionLayoutGroup
    {
        let group = NSCollectionLayoutGroup(layoutSize: size)
        group.subitems = items
        return group
    }

    open class func horizontal(layoutSize: NSCollectionLayoutSize, subitems: [NSCollectionLayoutItem])
        -> NSCollectionLayoutGroup
    { group(layoutSize, subitems) }
    open class func horizontal(layoutSize: NSCollectionLayoutSize, subitem: NSCollectionLayoutItem, count: Int)
        -> NSCollectionLayoutGroup
    { group(layoutSize, [subitem]) }
    open class func vertical(layoutSize: NSCollectionLayoutSize, subitems: [NSCollectionLayoutItem])
        -> NSCollectionLayoutGroup
    { group(layoutSize, subitems) }
    open class func vertical(layoutSize: NSCollectionLayoutSize, subitem: NSCollectionLayoutItem, count: Int)
        -> NSCollectionLayoutGroup
    { group(layoutSize, [subitem]) }
}

/// A section of groups. It has no effect.
open class NSCollectionLayoutSection: NSObject {
    open var contentInsets = NSDirectionalEdgeInsets.zero
    open var interGroupSpacing: CGFloat = 0

    public init(group: NSCollectionLayoutGroup) {}
}
