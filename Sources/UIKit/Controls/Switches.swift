// UISwitch, UISlider, UIStepper, UISegmentedControl, UIPageControl, UIRefreshControl: controls that have a value.

public import Foundation

/// A switch. A tap on it by name toggles it, and sends `valueChanged`.
@MainActor @preconcurrency open class UISwitch: UIControl {
    open var isOn = false { didSet { noteChange() } }
    open var onTintColor: UIColor?

    override func adopt(_ prototype: NSObject, _ pristine: NSObject) {
        super.adopt(prototype, pristine)
        guard let prototype = prototype as? UISwitch, let pristine = pristine as? UISwitch else { return }
        onTintColor = AppearanceProxies.merged(onTintColor, prototype.onTintColor, pristine.onTintColor)
    }

    open func setOn(_ on: Bool, animated: Bool) { isOn = on }

    override func touch() {
        isOn.toggle()
        sendActions(for: [.valueChanged, .primaryActionTriggered])
    }
}

/// A value within a range. It is stored: no person moves it.
@MainActor @preconcurrency open class UISlider: UIControl {
    open var value: Float = 0 { didSet { noteChange() } }
    open var minimumValue: Float = 0
    open var maximumValue: Float = 1
    open func setValue(_ value: Float, animated: Bool) { self.value = value }
}

/// A value that goes up and down. It is stored: no person taps it.
@MainActor @preconcurrency open class UIStepper: UIControl {
    open var value: Double = 0
    open var minimumValue: Double = 0
    open var maximumValue: Double = 100
    open var stepValue: Double = 1
    open var wraps = false
}

/// A choice among titles. A tap on a title selects it, and sends `valueChanged`.
@MainActor @preconcurrency open class UISegmentedControl: UIControl {
    public static let noSegment = -1
    open var selectedSegmentIndex = UISegmentedControl.noSegment { didSet { noteChange() } }
    open var selectedSegmentTintColor: UIColor?
    private(set) var titles: [String?] = []
    private var disabled: Set<Int> = []

    public convenience init(items: [Any]?) {
        self.init(frame: .zero)
        titles = (items ?? []).map { $0 as? String }
    }

    open var numberOfSegments: Int { titles.count }
    open func titleForSegment(at segment: Int) -> String? { titles[segment] }
    open func setTitle(_ title: String?, forSegmentAt segment: Int) { titles[segment] = title }
    open func insertSegment(withTitle title: String?, at segment: Int, animated: Bool) {
        let place = min(segment, titles.count)
        titles.insert(title, at: place)
        disabled = Set(disabled.map { $0 < place ? $0 : $0 + 1 })
        noteChange()
    }
    open func removeAllSegments() { (titles, disabled) = ([], []) }
    /// Allows or refuses taps on a segment. The segment that is selected stays so.
    open func setEnabled(_ enabled: Bool, forSegmentAt segment: Int) {
        if enabled { disabled.remove(segment) } else { disabled.insert(segment) }
        noteChange()
    }
    open func isEnabledForSegment(at segment: Int) -> Bool { !disabled.contains(segment) }
    open func setTitleTextAttributes(_ attributes: [NSAttributedString.Key: Any]?, for state: State) {}

    func choose(_ segment: Int) {
        selectedSegmentIndex = segment
        sendActions(for: .valueChanged)
    }
}

/// The indicator of a page among several. It has no effect.
@MainActor @preconcurrency open class UIPageControl: UIControl {
    open var numberOfPages = 0
    open var currentPage = 0
    open var pageIndicatorTintColor: UIColor?
    open var currentPageIndicatorTintColor: UIColor?
}

/// A control for reloading a table by a pull. It is stored: no person pulls it.
@MainActor @preconcurrency open class UIRefreshControl: UIControl {
    open private(set) var isRefreshing = false
    open var attributedTitle: NSAttributedString?
    open func beginRefreshing() { isRefreshing = true }
    open func endRefreshing() { isRefreshing = false }
}
