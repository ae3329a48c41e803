// UITableView: rows that a data source makes and a delegate is told of.

public import Foundation

/// Gives a table its rows.
@MainActor @preconcurrency public protocol UITableViewDataSource: AnyObject {
    func numberOfSections(in tableView: UITableView) -> Int
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell
    func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
}

extension UITableViewDataSource {
    public func numberOfSections(in tableView: UITableView) -> Int { 1 }
    public func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String? { nil }
}

/// Told of what is done to a table.
@MainActor @preconcurrency public protocol UITableViewDelegate: AnyObject {
    func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath?
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, didDeselectRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat
}

extension UITableViewDelegate {
    public func tableView(_ tableView: UITableView, willSelectRowAt indexPath: IndexPath) -> IndexPath? { indexPath }
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    public func tableView(_ tableView: UITableView, didDeselectRowAt indexPath: IndexPath) {}
    public func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat { tableView.rowHeight }
}

/// A table. Headless: its rows are asked for when somebody looks (`cellForRow(at:)`), all of them, since none is off the screen.
@MainActor @preconcurrency open class UITableView: UIView {
    public enum Style: Int, Sendable { case plain, grouped, insetGrouped }

    public let style: Style
    open weak var dataSource: (any UITableViewDataSource)? { didSet { noteChange() } }
    open weak var delegate: (any UITableViewDelegate)?
    open var rowHeight: CGFloat = 44
    open var allowsSelection = true
    open private(set) var indexPathForSelectedRow: IndexPath?
    private var cellClasses: [String: UITableViewCell.Type] = [:]

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
        precondition(cellClass == nil || cellClasses[identifier] != nil, "the class of a cell must be a UITableViewCell")
    }

    /// A new cell of the class that was registered, else nil: none is kept to be used again.
    open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? {
        guard let cellClass = cellClasses[identifier] else { return nil }
        return unsafeBitCast(cellClass, to: _CellInitializerSlot.Type.self).init(style: .default, reuseIdentifier: identifier)
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

    public enum RowAnimation: Int, Sendable { case fade, right, left, top, bottom, none, middle, automatic = 100 }

    open var numberOfSections: Int { dataSource?.numberOfSections(in: self) ?? 0 }

    open func numberOfRows(inSection section: Int) -> Int {
        dataSource?.tableView(self, numberOfRowsInSection: section) ?? 0
    }

    open func cellForRow(at indexPath: IndexPath) -> UITableViewCell? {
        guard indexPath.count == 2, (0..<numberOfSections).contains(indexPath.section),
            (0..<numberOfRows(inSection: indexPath.section)).contains(indexPath.row)
        else { return nil }
        return dataSource?.tableView(self, cellForRowAt: indexPath)
    }

    /// Selects the row and tells no delegate (as documented); a tap does, as `tap(_:)` makes one.
    open func selectRow(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
        indexPathForSelectedRow = indexPath
        noteChange()
    }

    public enum ScrollPosition: Int, Sendable { case none, top, middle, bottom }

    open func deselectRow(at indexPath: IndexPath, animated: Bool) {
        if indexPathForSelectedRow == indexPath { indexPathForSelectedRow = nil }
        noteChange()
    }

    /// What a person's tap on a row does. Ours.
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

/// A row of a table.
@MainActor @preconcurrency open class UITableViewCell: UIView {
    public enum CellStyle: Int, Sendable { case `default`, value1, value2, subtitle }
    public enum AccessoryType: Int, Sendable { case none, disclosureIndicator, detailDisclosureButton, checkmark, detailButton }
    public enum SelectionStyle: Int, Sendable { case none, blue, gray, `default` }

    public let textLabel: UILabel? = UILabel()
    public let detailTextLabel: UILabel? = UILabel()
    public let imageView: UIImageView? = UIImageView()
    public let contentView = UIView()
    open internal(set) var reuseIdentifier: String?
    open var accessoryType = AccessoryType.none
    open var selectionStyle = SelectionStyle.default

    public init(style: CellStyle, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: CGRect(x: 0, y: 0, width: 320, height: 44))
    }

    public required init?(coder: NSCoder) { super.init(coder: coder) }

    public convenience override init(frame: CGRect) { self.init(style: .default, reuseIdentifier: nil) }
}

/// By which a table makes the cells of a registered class, as `_InitializerSlot` does: not for use.
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
