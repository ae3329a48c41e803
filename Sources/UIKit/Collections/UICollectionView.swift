// UICollectionView: items that a data source makes, with a delegate for events.

public import Foundation

/// A collection, without a screen.
///
/// All items count as visible, and a cell is made when something looks or asks for it. The cell stays until its item is
/// reloaded. The layout is stored without effect.
@MainActor @preconcurrency open class UICollectionView: UIScrollView {
    public nonisolated static var elementKindSectionHeader: String { "UICollectionElementKindSectionHeader" }
    public nonisolated static var elementKindSectionFooter: String { "UICollectionElementKindSectionFooter" }

    public enum ScrollDirection: Int, Sendable { case vertical, horizontal }

    /// The position to which an item is scrolled. It has no effect.
    public struct ScrollPosition: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var top: ScrollPosition { ScrollPosition(rawValue: 1) }
        public static var centeredVertically: ScrollPosition { ScrollPosition(rawValue: 2) }
        public static var bottom: ScrollPosition { ScrollPosition(rawValue: 4) }
        public static var left: ScrollPosition { ScrollPosition(rawValue: 8) }
        public static var centeredHorizontally: ScrollPosition { ScrollPosition(rawValue: 16) }
        public static var right: ScrollPosition { ScrollPosition(rawValue: 32) }
    }

    open weak var dataSource: (any UICollectionViewDataSource)? { didSet { reloadData() } }
    open weak var delegate: (any UICollectionViewDelegate)? { didSet { _scrollDelegate = delegate } }
    open weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
    open var isPrefetchingEnabled = true
    open var collectionViewLayout: UICollectionViewLayout {
        didSet {
            oldValue.collectionView = nil
            collectionViewLayout.collectionView = self
        }
    }
    open var allowsSelection = true
    open var allowsMultipleSelection = false
    open var backgroundView: UIView?
    private var selection: [IndexPath] = []

    private var classes: [String: UICollectionReusableView.Type] = [:]
    private var nibs: [String: UINib] = [:]
    /// Makes a view for an identifier that no class is registered for, from a storyboard.
    package var prototype: ((String) -> UICollectionReusableView?)?
    private var cells: [IndexPath: UICollectionViewCell] = [:]
    private var supplements: [String: [IndexPath: UICollectionReusableView]] = [:]

    public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) {
        collectionViewLayout = layout
        super.init(frame: frame)
        layout.collectionView = self
    }

    public convenience override init(frame: CGRect) {
        self.init(frame: frame, collectionViewLayout: UICollectionViewFlowLayout())
    }

    public required init?(coder: NSCoder) {
        collectionViewLayout = UICollectionViewFlowLayout()
        super.init(coder: coder)
        collectionViewLayout.collectionView = self
    }

    open func setCollectionViewLayout(_ layout: UICollectionViewLayout, animated: Bool) {
        collectionViewLayout = layout
    }
    open func setCollectionViewLayout(
        _ layout: UICollectionViewLayout, animated: Bool, completion: ((Bool) -> Void)? = nil
    ) {
        collectionViewLayout = layout
        completion?(true)
    }

    // MARK: Making

    /// Returns the key of a registered class: cells, headers and footers may share an identifier.
    private static func key(_ identifier: String, _ kind: String = "") -> String { "\(kind)/\(identifier)" }

    private func register(_ type: AnyClass?, _ key: String) {
        nibs[key] = nil
        classes[key] = type as? UICollectionReusableView.Type
        precondition(
            type == nil || classes[key] != nil, "a view of a collection must be a UICollectionReusableView")
    }

    open func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {
        precondition(
            cellClass == nil || cellClass is UICollectionViewCell.Type,
            "the class of a cell must be a UICollectionViewCell")
        register(cellClass, Self.key(identifier))
    }

    open func register(_ nib: UINib?, forCellWithReuseIdentifier identifier: String) {
        classes[Self.key(identifier)] = nil
        nibs[Self.key(identifier)] = nib
    }

    open func register(
        _ viewClass: AnyClass?, forSupplementaryViewOfKind kind: String, withReuseIdentifier identifier: String
    ) { register(viewClass, Self.key(identifier, kind)) }

    open func register(
        _ nib: UINib?, forSupplementaryViewOfKind kind: String, withReuseIdentifier identifier: String
    ) {
        classes[Self.key(identifier, kind)] = nil
        nibs[Self.key(identifier, kind)] = nib
    }

    /// Returns a new cell: no cell is reused. An unregistered identifier ends the process, as on Apple's systems.
    open func dequeueReusableCell(
        withReuseIdentifier identifier: String, for indexPath: IndexPath
    ) -> UICollectionViewCell {
        guard let cell = make(identifier, "", itemSize(at: indexPath)) as? UICollectionViewCell else {
            preconditionFailure("nothing is registered for cells of the identifier \(identifier)")
        }
        return cell
    }

    /// Returns a new header or footer, as for a cell.
    open func dequeueReusableSupplementaryView(
        ofKind kind: String, withReuseIdentifier identifier: String, for indexPath: IndexPath
    ) -> UICollectionReusableView {
        guard let view = make(identifier, kind, .zero) else {
            preconditionFailure("nothing is registered for views of the kind \(kind) and the identifier \(identifier)")
        }
        return view
    }

    private func make(_ identifier: String, _ kind: String, _ size: CGSize) -> UICollectionReusableView? {
        let key = Self.key(identifier, kind)
        let made: UICollectionReusableView? =
            if let type = classes[key] {
                unsafeDowncast(
                    unsafeBitCast(type, to: _FrameInitializerSlot.Type.self).init(
                        frame: CGRect(origin: .zero, size: size)), to: UICollectionReusableView.self)
            } else if let nib = nibs[key] {
                nib.instantiate(withOwner: nil).lazy.compactMap { $0 as? UICollectionReusableView }.first
            } else {
                prototype?(identifier)
            }
        made?.reuseIdentifier = identifier
        return made
    }

    /// Returns the item's size, from the delegate or the layout.
    func itemSize(at indexPath: IndexPath) -> CGSize {
        guard let layout = collectionViewLayout as? UICollectionViewFlowLayout else { return .zero }
        return (delegate as? any UICollectionViewDelegateFlowLayout)?
            .collectionView(self, layout: layout, sizeForItemAt: indexPath) ?? layout.itemSize
    }

    // MARK: Items

    open var numberOfSections: Int { dataSource?.numberOfSections(in: self) ?? 0 }
    open func numberOfItems(inSection section: Int) -> Int {
        dataSource?.collectionView(self, numberOfItemsInSection: section) ?? 0
    }

    /// Returns the item's cell, made now unless it exists. Nil if there is no such item.
    open func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? {
        guard indexPath.count == 2, (0..<numberOfSections).contains(indexPath.section),
            (0..<numberOfItems(inSection: indexPath.section)).contains(indexPath.item)
        else { return nil }
        if let cell = cells[indexPath] { return cell }
        guard let cell = dataSource?.collectionView(self, cellForItemAt: indexPath) else { return nil }
        cells[indexPath] = cell
        if selection.contains(indexPath) { cell.isSelected = true }
        delegate?.collectionView(self, willDisplay: cell, forItemAt: indexPath)
        addSubview(cell)
        return cell
    }

    /// Returns a header or footer, made now unless it exists. Nil if there is none.
    open func supplementaryView(forElementKind kind: String, at indexPath: IndexPath) -> UICollectionReusableView? {
        guard asks(for: kind, in: indexPath.section) else { return nil }
        if let view = supplements[kind]?[indexPath] { return view }
        let made = dataSource?.collectionView(self, viewForSupplementaryElementOfKind: kind, at: indexPath)
        guard let made else { return nil }
        supplements[kind, default: [:]][indexPath] = made
        addSubview(made)
        return made
    }

    /// Whether a section has a header or footer of this kind.
    ///
    /// A flow layout has those with a size; other layouts have those that something is registered for.
    private func asks(for kind: String, in section: Int) -> Bool {
        guard (0..<numberOfSections).contains(section) else { return false }
        guard let layout = collectionViewLayout as? UICollectionViewFlowLayout else {
            return (Array(classes.keys) + Array(nibs.keys)).contains { $0.hasPrefix("\(kind)/") }
        }
        let asked = delegate as? any UICollectionViewDelegateFlowLayout
        let size =
            kind == Self.elementKindSectionHeader
            ? asked?.collectionView(self, layout: layout, referenceSizeForHeaderInSection: section)
                ?? layout.headerReferenceSize
            : asked?.collectionView(self, layout: layout, referenceSizeForFooterInSection: section)
                ?? layout.footerReferenceSize
        return size != .zero
    }

    open func indexPath(for cell: UICollectionViewCell) -> IndexPath? { cells.first { $0.value === cell }?.key }
    /// Returns nil: nothing is laid out.
    open func indexPathForItem(at point: CGPoint) -> IndexPath? { nil }
    /// The cells of all items: none is off the screen.
    open var visibleCells: [UICollectionViewCell] { indexPathsForVisibleItems.compactMap { cellForItem(at: $0) } }
    open var indexPathsForVisibleItems: [IndexPath] {
        (0..<numberOfSections).flatMap { section in
            (0..<numberOfItems(inSection: section)).map { IndexPath(item: $0, section: section) }
        }
    }
    open func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
        collectionViewLayout.layoutAttributesForItem(at: indexPath)
    }
    open func layoutAttributesForSupplementaryElement(
        ofKind kind: String, at indexPath: IndexPath
    ) -> UICollectionViewLayoutAttributes? {
        collectionViewLayout.layoutAttributesForSupplementaryView(ofKind: kind, at: indexPath)
    }
    open func scrollToItem(at indexPath: IndexPath, at scrollPosition: ScrollPosition, animated: Bool) {}

    // MARK: Changes

    /// Drops all cells and what is selected.
    open func reloadData() {
        selection = []
        drop { _ in true }
    }

    private func drop(_ isDropped: (IndexPath) -> Bool) {
        for (place, cell) in cells where isDropped(place) {
            cells[place] = nil
            if cell.superview === self { cell.removeFromSuperview() }
        }
        for view in supplements.values.flatMap(\.values) where view.superview === self { view.removeFromSuperview() }
        supplements = [:]
        noteChange()
    }

    open func reloadItems(at indexPaths: [IndexPath]) { drop { indexPaths.contains($0) } }
    open func reloadSections(_ sections: IndexSet) { drop { sections.contains($0.section) } }
    /// Makes all cells anew, since items move. The selection stays at its index path (ours).
    open func insertItems(at indexPaths: [IndexPath]) { drop { _ in true } }
    open func deleteItems(at indexPaths: [IndexPath]) {
        selection.removeAll { indexPaths.contains($0) }
        drop { _ in true }
    }
    open func moveItem(at indexPath: IndexPath, to newIndexPath: IndexPath) { drop { _ in true } }
    open func insertSections(_ sections: IndexSet) { drop { _ in true } }
    open func deleteSections(_ sections: IndexSet) {
        selection.removeAll { sections.contains($0.section) }
        drop { _ in true }
    }
    open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        updates?()
        noteChange()
        completion?(true)
    }

    // MARK: Selection

    open var indexPathsForSelectedItems: [IndexPath]? { selection }

    /// Selects the item without calling the delegate (as documented). `tap(_:)` does both.
    open func selectItem(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
        guard let indexPath else { return selection.forEach { unselect($0) } }
        guard allowsSelection else { return }
        if !allowsMultipleSelection { for place in selection where place != indexPath { unselect(place) } }
        if !selection.contains(indexPath) { selection.append(indexPath) }
        cells[indexPath]?.isSelected = true
        noteChange()
    }

    open func deselectItem(at indexPath: IndexPath, animated: Bool) { unselect(indexPath) }

    private func unselect(_ place: IndexPath) {
        guard let index = selection.firstIndex(of: place) else { return }
        selection.remove(at: index)
        cells[place]?.isSelected = false
        noteChange()
    }

    /// Does what a person's tap on an item does. Ours.
    package func tap(_ indexPath: IndexPath) {
        guard let cell = cellForItem(at: indexPath),
            delegate?.collectionView(self, shouldHighlightItemAt: indexPath) ?? true
        else { return }
        cell.isHighlighted = true
        delegate?.collectionView(self, didHighlightItemAt: indexPath)
        cell.isHighlighted = false
        delegate?.collectionView(self, didUnhighlightItemAt: indexPath)
        guard allowsSelection else { return }
        if allowsMultipleSelection, selection.contains(indexPath) {
            guard delegate?.collectionView(self, shouldDeselectItemAt: indexPath) ?? true else { return }
            unselect(indexPath)
            delegate?.collectionView(self, didDeselectItemAt: indexPath)
        } else if delegate?.collectionView(self, shouldSelectItemAt: indexPath) ?? true {
            for place in allowsMultipleSelection ? [] : selection where place != indexPath {
                unselect(place)
                delegate?.collectionView(self, didDeselectItemAt: place)
            }
            selectItem(at: indexPath, animated: true, scrollPosition: [])
            delegate?.collectionView(self, didSelectItemAt: indexPath)
        }
    }
}
