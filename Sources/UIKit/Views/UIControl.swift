// UIControl: a view that does something when it is used.

public import Foundation

/// A control. Linux has no selectors: an action is a closure, or a method of its target.
@MainActor @preconcurrency open class UIControl: UIView {
    public struct Event: OptionSet, Sendable, Hashable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let touchDown = Event(rawValue: 1)
        public static let touchUpInside = Event(rawValue: 1 << 6)
        public static let valueChanged = Event(rawValue: 1 << 12)
        public static let primaryActionTriggered = Event(rawValue: 1 << 13)
        public static let editingChanged = Event(rawValue: 1 << 17)
        public static let allEvents = Event(rawValue: .max)
    }

    public struct State: OptionSet, Sendable, Hashable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let normal: State = []
        public static let highlighted = State(rawValue: 1)
        public static let disabled = State(rawValue: 1 << 1)
        public static let selected = State(rawValue: 1 << 2)
    }

    private struct Entry {
        let events: Event
        let action: UIAction
        weak var target: AnyObject?
        let hasTarget: Bool
    }

    open var isEnabled = true { didSet { noteChange() } }
    open var isSelected = false { didSet { noteChange() } }
    open var state: State { isEnabled ? (isSelected ? .selected : .normal) : .disabled }
    private var entries: [Entry] = []

    /// Calls the action's handler for these events; the same action is not added twice for the same events.
    open func addAction(_ action: UIAction, for events: Event) {
        guard !entries.contains(where: { $0.action === action && $0.events == events }) else { return }
        entries.append(Entry(events: events, action: action, target: nil, hasTarget: false))
    }

    open func removeAction(_ action: UIAction, for events: Event) {
        entries.removeAll { $0.action === action && $0.events == events }
    }

    /// Ours, where Apple's systems take a selector: `#selector(tapped(_:))` is written `MyController.tapped`. The target is not kept alive.
    public final func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping (Target) -> @MainActor (Any) -> Void, for events: Event
    ) {
        let call = UIAction { [weak target] performed in
            if let target { action(target)(performed.sender as Any) }
        }
        entries.append(Entry(events: events, action: call, target: target, hasTarget: true))
    }

    /// The same for a method without an argument.
    public final func addTarget<Target: AnyObject>(
        _ target: Target, action: @escaping (Target) -> @MainActor () -> Void, for events: Event
    ) {
        let call = UIAction { [weak target] _ in
            if let target { action(target)() }
        }
        entries.append(Entry(events: events, action: call, target: target, hasTarget: true))
    }

    /// Takes away every action of `target`; of all with nil.
    public final func removeTarget(_ target: AnyObject?, for events: Event) {
        entries.removeAll { $0.hasTarget && (target == nil || $0.target === target) && events.contains($0.events) }
    }

    /// What a touch does: calls the actions for these events, in the order in which they were added.
    open func sendActions(for events: Event) {
        for entry in entries where !entry.events.isDisjoint(with: events) { entry.action.perform(by: self) }
    }
}

/// What a control or an alert does, with the title under which it is offered.
@MainActor @preconcurrency open class UIAction: NSObject {
    public typealias UIActionHandler = @MainActor (UIAction) -> Void

    open var title: String
    /// The control that is used, while its handler runs.
    public private(set) var sender: Any?
    private let handler: UIActionHandler

    public init(title: String = "", handler: @escaping UIActionHandler) {
        self.title = title
        self.handler = handler
    }

    func perform(by sender: Any?) {
        self.sender = sender
        handler(self)
        self.sender = nil
    }
}
