// UITableView: rows that a data source makes, with a delegate for events; and the protocols of both.

public import Foundation

/// A table, without a screen.
///
/// All rows are requested on demand (`cellForRow(at:)`), since none is off the screen.
@MainActor @preconcurrency open class UITableView: UIScrollView {
    public nonisolated static var automaticDimension: CGFloat { -1 }
    public enum Style: Int, Sendable { case plain, grouped, insetGrouped }

    public let style: Style
    open weak var dataSource: (any UITableViewDataSource)? { didSet { noteChange() } }
    open weak var delegate: (any UITableViewDelegate)?
    open var rowHeight: CGFloat = 44
    open var allowsSelection = true
    open private(set) var indexPathForSelectedRow: IndexPath?
    private var cellClasses: [String: UITableViewCell.Type] = [:]
    private var nibs: [String: UINib] = [:]
    /// Makes a cell for an identifier that no class is registered for, from a storyboard.
    package var prototype: ((String) -> UITableViewCell?)?
    open var estimatedRowHeight = UITableView.automaticDimension
    open var sectionHeaderHeight = UITableView.automaticDimension
    open var sectionFooterHeight = UITableView.automaticDimension
    open var estimatedSectionHeaderHeight = UITableView.automaticDimension
    open var estimatedSectionFooterHeight = UITableView.automaticDimension
    open var separatorStyle = UITableViewCell.SeparatorStyle.singleLine
    open var separatorColor: UIColor?
    open var separatorEffect: UIVisualEffect?
    open var separatorInset = UIEdgeInsets(top: 0, left: 15, bottom: 0, right: 0)
    open var allowsMultipleSelection = false
    open var backgroundView: UIView?
    open var isEditing = false
    /// The view above the rows.
    open var tableHeaderView: UIView? { didSet { noteChange() } }
    /// The view below the rows.
    open var tableFooterView: UIView? { didSet { noteChange() } }

    override func adopt(_ prototype: NSObject, _ pristine: NSObject) {
        super.adopt(prototype, pristine)
        guard let prototype = prototype as? UITableView, let pristine = pristine as? UITableView else { return }
        separatorColor = AppearanceProxies.merged(separatorColor, prototype.separatorColor, pristine.separatorColor)
        separatorStyle = AppearanceProxies.merged(separatorStyle, prototype.separatorStyle, pristine.separatorStyle)
        separatorInset = AppearanceProxies.merged(separatorInset, prototype.separatorInset, pristine.separatorInset)
    }

    public init(frame: CGRect, style: Style) {
        self.style = style
        super.init(frame: frame)
    }

    public convenience override init(frame: CGRect) { self.init(frame: frame, style: .plain) }

    public required init?(coder: NSCoder) {
        style = .plain
        super.init(coder: coder)
    }

    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
        cellClasses[identifier] = cellClass as? UITableViewCell.Type
        precondition(
            cellClass == nil || cellClasses[identifier] != nil, "the class of a cell must be a UITableViewCell")
    }

    open func register(_ nib: UINib?, forCellReuseIdentifier identifier: String) {
        cellClasses[identifier] = nil
        nibs[identifier] = nib
    }

    /// Returns a new cell of the registered class, else nil: no cell is stored for reuse.
    open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? {
        guard let cellClass = cellClasses[identifier] else {
            return nibs[identifier]?.cell(identifier) ?? prototype?(identifier)
        }
        return unsafeBitCast(cellClass, to: _CellInitializerSlot.Type.self).init(
            style: .default, reuseIdentifier: identifier)
    }

    open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
        guard let cell = dequeueReusableCell(withIdentifier: identifier) else {
            preconditionFailure("no class is registered for cells of the identifier \(identifier)")
        }
        return cell
    }

    open func reloadData() {
        indexPathForSelectedRow = nil
        noteChange()
    }

    open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation = .automatic) { noteChange() }
    open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) { noteChange() }
    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) { noteChange() }
    open func reloadSections(_ sections: IndexSet, with animation: RowAnimation) { noteChange() }
    open func insertSections(_ sections: IndexSet, with animation: RowAnimation) { noteChange() }
    open func deleteSections(_ sections: IndexSet, with animation: RowAnimation) { noteChange() }
    open func beginUpdates() {}
    open func endUpdates() { noteChange() }
    open func performBatchUpdates(_ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil) {
        updates?()
        noteChange()
        completion?(true)
    }
    open func setEditing(_ editing: Bool, animated: Bool) { isEditing = editing }
    /// The cells of all rows, made anew: none is off the screen.
    open var visibleCells: [UITableViewCell] {
        (0..<numberOfSections).flatMap { section in
            (0..<numberOfRows(inSection: section)).compactMap { cellForRow(at: IndexPath(row: $0, section: section)) }
        }
    }
    open var indexPathsForVisibleRows: [IndexPath]? {
        (0..<numberOfSections).flatMap { section in
            (0..<numberOfRows(inSection: section)).map { IndexPath(row: $0, section: section) }
        }
    }
    /// Returns the index path for which the cell was made last; nil for another table's cell.
    open func indexPath(for cell: UITableViewCell) -> IndexPath? { cell.place }
    open func scrollToRow(at indexPath: IndexPath, at position: ScrollPosition, animated: Bool) {}
    open var indexPathsForSelectedRows: [IndexPath]? { indexPathForSelectedRow.map { [$0] } }

    public enum RowAnimation: Int, Sendable { case fade, right, left, top, bottom, none, middle, automatic = 100 }

    open var numberOfSections: Int { dataSource?.numberOfSections(in: self) ?? 0 }

    open func numberOfRows(inSection section: Int) -> Int {
        dataSource?.tableView(self, numberOfRowsInSection: section) ?? 0
    }

    open func cellForRow(at indexPath: IndexPath) -> UITableViewCell? {
        guard indexPath.count == 2, (0..<numberOfSections).contains(indexPath.section),
            (0..<numberOfRows(inSection: indexPath.section)).contains(indexPath.row)
        else { return nil }
        let cell = dataSource?.tableView(self, cellForRowAt: indexPath)
        cell?.place = indexPath
        return cell
    }

    /// Selects the row without calling the delegate (as documented). `tap(_:)` does both.
    open func selectRow(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
        indexPathForSelectedRow = indexPath
        noteChange()
    }

    public enum ScrollPosition: Int, Sendable { case none, top, middle, bottom }

    open func deselectRow(at indexPath: IndexPath, animated: Bool) {
        if indexPathForSelectedRow == indexPath { indexPathForSelectedRow = nil }
        noteChange()
    }

    /// Does what a person's tap on a row does. Ours.
    package func tap(_ indexPath: IndexPath) {
        guard allowsSelection, cellForRow(at: indexPath) != nil else { return }
        let chosen = delegate.map { $0.tableView(self, willSelectRowAt: indexPath) } ?? indexPath
        guard let chosen else { return }
        if let former = indexPathForSelectedRow, former != chosen {
            indexPathForSelectedRow = nil
            delegate?.tableView(self, didDeselectRowAt: former)
        }
        indexPathForSelectedRow = chosen
        delegate?.tableView(self, didSelectRowAt: chosen)
        noteChange()
    }
}

/// The source of a table's rows.
@MainActor @preconcurrency public protocol UITableViewDataSource: NSObjectProtocol {
    func numberOfSections(in tableView: UITableView) -> Int
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
    func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
    func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String?
    func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool
    func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath)
}

extension UITableViewDataSource {
    public func numberOfSections(in tableView: UITableView) -> Int { 1 }
    public func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
    public func tableView(_ tableView: UITableView, titleForFooterInSection section: Int) -> String? { nil }
    public func tableView(_ tableView: UITableView, canEditRowAt indexPath: IndexPath) -> Bool { true }
    public func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle, forRowAt indexPath: IndexPath
    ) {}
}

/// The observer of a table's use.
@MainActor @preconcurrency public protocol UITableViewDelegate: NSObjectProtocol, UIScrollViewDelegate {
    func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath?
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, didDeselectRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat
    func tableView(_ tableView: UITableView, heightForHeaderInSection section: Int) -> CGFloat
    func tableView(_ tableView: UITableView, heightForFooterInSection section: Int) -> CGFloat
    func tableView(_ tableView: UITableView, viewForHeaderInSection section: Int) -> UIView?
    func tableView(_ tableView: UITableView, viewForFooterInSection section: Int) -> UIView?
    func tableView(_ tableView: UITableView, estimatedHeightForRowAt indexPath: IndexPath) -> CGFloat
    func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, shouldHighlightRowAt indexPath: IndexPath) -> Bool
    func tableView(_ tableView: UITableView, editingStyleForRowAt indexPath: IndexPath) -> UITableViewCell.EditingStyle
    func tableView(_ tableView: UITableView, accessoryButtonTappedForRowWith indexPath: IndexPath)
}

extension UITableViewDelegate {
    public func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath? { indexPath }
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    public func tableView(_ tableView: UITableView, didDeselectRowAt indexPath: IndexPath) {}
    public func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat {
        tableView.rowHeight
    }
    public func tableView(_ tableView: UITableView, heightForHeaderInSection section: Int) -> CGFloat { 0 }
    public func tableView(_ tableView: UITableView, heightForFooterInSection section: Int) -> CGFloat { 0 }
    public func tableView(_ tableView: UITableView, viewForHeaderInSection section: Int) -> UIView? { nil }
    public func tableView(_ tableView: UITableView, viewForFooterInSection section: Int) -> UIView? { nil }
    public func tableView(_ tableView: UITableView, estimatedHeightForRowAt indexPath: IndexPath) -> CGFloat {
        tableView.rowHeight
    }
    public func tableView(_ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath) {}
    public func tableView(_ tableView: UITableView, shouldHighlightRowAt indexPath: IndexPath) -> Bool { true }
    public func tableView(_ tableView: UITableView, editingStyleForRowAt indexPath: IndexPath)
        -> UITableViewCell.EditingStyle
    { .delete }
    public func tableView(_ tableView: UITableView, accessoryButtonTappedForRowWith indexPath: IndexPath) {}
}
