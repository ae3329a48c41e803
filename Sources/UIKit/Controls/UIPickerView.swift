// UIPickerView: wheels of rows, one of which is selected in each.

public import Foundation

/// The source of a picker's rows.
@MainActor @preconcurrency public protocol UIPickerViewDataSource: NSObjectProtocol {
    func numberOfComponents(in pickerView: UIPickerView) -> Int
    func pickerView(_ pickerView: UIPickerView, numberOfRowsInComponent component: Int) -> Int
}

/// The titles of a picker's rows, and the observer of choices. Every method has a body, in place of Objective-C's
/// optional ones.
@MainActor @preconcurrency public protocol UIPickerViewDelegate: NSObjectProtocol {
    func pickerView(_ pickerView: UIPickerView, titleForRow row: Int, forComponent component: Int) -> String?
    func pickerView(
        _ pickerView: UIPickerView, attributedTitleForRow row: Int, forComponent component: Int
    ) -> NSAttributedString?
    func pickerView(
        _ pickerView: UIPickerView, viewForRow row: Int, forComponent component: Int, reusing view: UIView?
    ) -> UIView
    func pickerView(_ pickerView: UIPickerView, rowHeightForComponent component: Int) -> CGFloat
    func pickerView(_ pickerView: UIPickerView, widthForComponent component: Int) -> CGFloat
    func pickerView(_ pickerView: UIPickerView, didSelectRow row: Int, inComponent component: Int)
}

extension UIPickerViewDelegate {
    public func pickerView(_ pickerView: UIPickerView, titleForRow row: Int, forComponent component: Int) -> String? {
        nil
    }
    public func pickerView(
        _ pickerView: UIPickerView, attributedTitleForRow row: Int, forComponent component: Int
    ) -> NSAttributedString? { nil }
    public func pickerView(
        _ pickerView: UIPickerView, viewForRow row: Int, forComponent component: Int, reusing view: UIView?
    ) -> UIView { NoRowView() }
    public func pickerView(_ pickerView: UIPickerView, rowHeightForComponent component: Int) -> CGFloat { 32 }
    public func pickerView(_ pickerView: UIPickerView, widthForComponent component: Int) -> CGFloat { 320 }
    public func pickerView(_ pickerView: UIPickerView, didSelectRow row: Int, inComponent component: Int) {}
}

/// The view of a row whose delegate makes none.
final class NoRowView: UIView {}

/// A picker. A tap on the title of a row selects it in the first component that has such a row, and tells the delegate.
@MainActor @preconcurrency open class UIPickerView: UIView {
    open weak var dataSource: (any UIPickerViewDataSource)? { didSet { reloadAllComponents() } }
    open weak var delegate: (any UIPickerViewDelegate)? { didSet { reloadAllComponents() } }
    open var showsSelectionIndicator = true
    private var selected: [Int: Int] = [:]

    open var numberOfComponents: Int { dataSource?.numberOfComponents(in: self) ?? 0 }

    open func numberOfRows(inComponent component: Int) -> Int {
        dataSource?.pickerView(self, numberOfRowsInComponent: component) ?? 0
    }

    open func rowSize(forComponent component: Int) -> CGSize {
        CGSize(
            width: delegate?.pickerView(self, widthForComponent: component) ?? 320,
            height: delegate?.pickerView(self, rowHeightForComponent: component) ?? 32)
    }

    /// Returns the delegate's view of a row; nil if it makes none.
    open func view(forRow row: Int, forComponent component: Int) -> UIView? {
        let view = delegate?.pickerView(self, viewForRow: row, forComponent: component, reusing: nil)
        return view is NoRowView ? nil : view
    }

    open func reloadAllComponents() {
        for component in selected.keys { reloadComponent(component) }
        noteChange()
    }

    /// Asks for the rows anew. A selection beyond the last row moves to that row.
    open func reloadComponent(_ component: Int) {
        if let row = selected[component] {
            let last = component < numberOfComponents ? numberOfRows(inComponent: component) - 1 : 0
            selected[component] = max(0, min(row, last))
        }
        noteChange()
    }

    /// Selects a row. The delegate is not called, as documented.
    open func selectRow(_ row: Int, inComponent component: Int, animated: Bool) {
        guard (0..<numberOfComponents).contains(component),
            (0..<numberOfRows(inComponent: component)).contains(row)
        else { return }
        selected[component] = row
        noteChange()
    }

    /// Returns the selected row, at first 0; -1 if there are no rows.
    open func selectedRow(inComponent component: Int) -> Int {
        guard (0..<numberOfComponents).contains(component), numberOfRows(inComponent: component) > 0 else { return -1 }
        return selected[component] ?? 0
    }

    // MARK: Rows as the host sees them

    typealias Place = (row: Int, component: Int)

    /// The first thousand rows: the description is bounded.
    var places: [Place] {
        let all = (0..<max(0, min(numberOfComponents, 1000))).lazy.flatMap { component in
            (0..<max(0, self.numberOfRows(inComponent: component))).lazy.map { (row: $0, component: component) }
        }
        return Array(all.prefix(1000))
    }

    /// The title of a row; nil for one that is a view.
    func title(of place: Place) -> String? {
        delegate?.pickerView(self, titleForRow: place.row, forComponent: place.component)
            ?? delegate?.pickerView(self, attributedTitleForRow: place.row, forComponent: place.component)?.string
    }

    /// The first row of that title, or whose view has it as a label.
    func place(named name: String) -> Place? {
        places.first { place in
            if let title = title(of: place) { return title == name }
            guard let view = view(forRow: place.row, forComponent: place.component) else { return false }
            return (view as? UILabel)?.text == name || view.accessibilityIdentifier == name
                || view.accessibilityLabel == name
        }
    }

    /// Does what a person's turn of a wheel does. Ours.
    func choose(_ place: Place) {
        selectRow(place.row, inComponent: place.component, animated: true)
        delegate?.pickerView(self, didSelectRow: place.row, inComponent: place.component)
    }
}
