// UIControl: a view that acts when a person uses it.

import Foundation

/// A control. An action is a selector, a closure, or (ours) a method of its target.
@MainActor @preconcurrency open class UIControl: UIView {
    public struct Event: OptionSet, Sendable, Hashable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var touchDown: Event { Event(rawValue: 1) }
        public static var touchDownRepeat: Event { Event(rawValue: 2) }
        public static var touchDragInside: Event { Event(rawValue: 4) }
        public static var touchDragOutside: Event { Event(rawValue: 8) }
        public static var touchDragEnter: Event { Event(rawValue: 16) }
        public static var touchDragExit: Event { Event(rawValue: 32) }
        public static var touchUpInside: Event { Event(rawValue: 64) }
        public static var touchUpOutside: Event { Event(rawValue: 128) }
        public static var touchCancel: Event { Event(rawValue: 256) }
        public static var valueChanged: Event { Event(rawValue: 4096) }
        public static var primaryActionTriggered: Event { Event(rawValue: 8192) }
        public static var menuActionTriggered: Event { Event(rawValue: 16384) }
        public static var editingDidBegin: Event { Event(rawValue: 65536) }
        public static var editingChanged: Event { Event(rawValue: 131072) }
        public static var editingDidEnd: Event { Event(rawValue: 262144) }
        public static var editingDidEndOnExit: Event { Event(rawValue: 524288) }
        public static var allTouchEvents: Event { Event(rawValue: 0xFFF) }
        public static var allEditingEvents: Event { Event(rawValue: 0xF_0000) }
        public static var allEvents: Event { Event(rawValue: 0xFFFF_FFFF) }
    }

    public struct State: OptionSet, Sendable, Hashable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static var normal: State { [] }
        public static var highlighted: State { State(rawValue: 1) }
        public static var disabled: State { State(rawValue: 2) }
        public static var selected: State { State(rawValue: 4) }
        public static var focused: State { State(rawValue: 8) }
    }

    /// The place of a control's content. It has no effect.
    public enum ContentHorizontalAlignment: Int, Sendable { case center, left, right, fill, leading, trailing }
    public enum ContentVerticalAlignment: Int, Sendable { case center, top, bottom, fill }

    private struct Entry {
        let events: Event
        /// The action; nil for a target with a selector.
        let action: UIAction?
        var selector: Selector?
        weak var target: AnyObject?
        let hasTarget: Bool
    }

    open var isEnabled = true { didSet { noteChange() } }
    open var isSelected = false { didSet { noteChange() } }
    open var isHighlighted = false
    open var contentHorizontalAlignment = ContentHorizontalAlignment.center
    open var contentVerticalAlignment = ContentVerticalAlignment.center
    /// Always false: nothing is touched.
    open var isTracking: Bool { false }
    open var isTouchInside: Bool { false }
    private var entries: [Entry] = []

    open var state: State {
        var state: State = isEnabled ? [] : .disabled
        if isSelected { state.insert(.selected) }
        if isHighlighted { state.insert(.highlighted) }
        return state
    }

    /// Adds an action for these events. The same action is not added twice for the same events.
    open func addAction(_ action: UIAction, for events: Event) {
        guard !entries.contains(where: { $0.action === action && $0.events == events }) else { return }
        entries.append(Entry(events: events, action: action, hasTarget: false))
    }

    open func removeAction(_ action: UIAction, for events: Event) {
        entries.removeAll { $0.action === action && $0.events == events }
    }

    /// Adds a selector for these events, with the control and an event as its arguments.
    ///
    /// The target is not retained. Nil stands for the first responder, from the control on, that responds to the
    /// selector.
    open func addTarget(_ target: Any?, action: Selector, for events: Event) {
        let object = target as AnyObject?
        guard !entries.contains(where: { $0.selector == action && $0.target === object && $0.events == events }) else {
            return
        }
        entries.append(Entry(events: events, action: nil, selector: action, target: object, hasTarget: object != nil))
    }

    /// Removes the actions of `target` with this selector. Nil stands for any target or any selector.
    open func removeTarget(_ target: Any?, action: Selector?, for events: Event) {
        let object = target as AnyObject?
        entries.removeAll {
            $0.selector != nil && (object == nil || $0.target === object) && (action == nil || $0.selector == action)
                && events.contains($0.events)
        }
    }

    /// Adds a method that has no selector, such as `MyController.tapped`. Ours. The target is not retained.
    public final func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping (Target) -> @MainActor (Any) -> Void, for events: Event
    ) {
        let call = UIAction { [weak target] performed in
            if let target { action(target)(performed.sender as Any) }
        }
        entries.append(Entry(events: events, action: call, target: target, hasTarget: true))
    }

    /// Adds a method that has neither a selector nor an argument.
    public final func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping (Target) -> @MainActor () -> Void, for events: Event
    ) {
        let call = UIAction { [weak target] _ in
            if let target { action(target)() }
        }
        entries.append(Entry(events: events, action: call, target: target, hasTarget: true))
    }

    /// Removes every action of `target`, or of all targets if it is nil.
    public final func removeTarget(_ target: AnyObject?, for events: Event) {
        entries.removeAll { $0.hasTarget && (target == nil || $0.target === target) && events.contains($0.events) }
    }

    public final var allTargets: Set<AnyHashable> { Set(entries.compactMap { $0.target as? NSObject }) }

    /// Returns the names of the selectors for a target and event; nil if there are none.
    public final func actions(forTarget target: Any?, forControlEvent event: Event) -> [String]? {
        let names = entries.filter { $0.target === target as AnyObject? && !$0.events.isDisjoint(with: event) }
            .compactMap { $0.selector?.description }
        return names.isEmpty ? nil : names
    }

    /// Calls the actions for these events, in the order in which they were added, as a touch does.
    open func sendActions(for events: Event) {
        for entry in entries where !entry.events.isDisjoint(with: events) {
            if let action = entry.action {
                action.perform(by: self)
            } else if let selector = entry.selector, !entry.hasTarget || entry.target != nil {
                sendAction(selector, to: entry.target, for: UIEvent())
            }
        }
    }

    open func sendAction(_ action: Selector, to target: Any?, for event: UIEvent?) {
        send(action, to: target as AnyObject?, from: self, event)
    }

    /// A finger that comes down on the control and goes up again.
    override func touch() {
        sendActions(for: .touchDown)
        sendActions(for: .touchUpInside)
    }

    /// Whether the control sends one of these selectors.
    final func sends(_ selectors: Set<String>) -> Bool {
        entries.contains { $0.selector.map { selectors.contains($0.description) } ?? false }
    }

    /// Has no effect: nothing is touched, so nothing calls it.
    open func beginTracking(_ touch: UITouch, with event: UIEvent?) -> Bool { true }
    open func continueTracking(_ touch: UITouch, with event: UIEvent?) -> Bool { true }
    open func endTracking(_ touch: UITouch?, with event: UIEvent?) {}
    open func cancelTracking(with event: UIEvent?) {}
}

/// The action of a control or an alert, with its title.
@MainActor @preconcurrency open class UIAction: UIMenuElement {
    public typealias UIActionHandler = @MainActor (UIAction) -> Void

    /// The control that was used; it is set while the handler runs.
    public private(set) var sender: Any?
    open var attributes: UIMenuElement.Attributes = []
    open var state = UIMenuElement.State.off
    private let handler: UIActionHandler

    public init(
        title: String = "", image: UIImage? = nil, attributes: UIMenuElement.Attributes = [],
        state: UIMenuElement.State = .off, handler: @escaping UIActionHandler
    ) {
        self.handler = handler
        self.attributes = attributes
        self.state = state
        super.init(title, image)
    }

    func perform(by sender: Any?) {
        self.sender = sender
        handler(self)
        self.sender = nil
    }
}
