// AUParameterNode, AUParameterGroup: the inner nodes of a tree of parameters, and their observers.

import Locks

public typealias AUParameterObserver = (_ address: AUParameterAddress, _ value: AUValue) -> Void
public typealias AUParameterRecordingObserver = (
    _ numberOfEvents: Int, _ events: UnsafePointer<AURecordedParameterEvent>
) -> Void
public typealias AUParameterAutomationObserver = (
    _ numberOfEvents: Int, _ events: UnsafePointer<AUParameterAutomationEvent>
) -> Void
public typealias AUImplementorValueObserver = (_ param: AUParameter, _ value: AUValue) -> Void
public typealias AUImplementorValueProvider = (_ param: AUParameter) -> AUValue
public typealias AUImplementorStringFromValueCallback = (
    _ param: AUParameter, _ value: UnsafePointer<AUValue>?
) -> String
public typealias AUImplementorValueFromStringCallback = (_ param: AUParameter, _ string: String) -> AUValue
public typealias AUImplementorDisplayNameWithLengthCallback = (
    _ node: AUParameterNode, _ desiredLength: Int
) -> String

/// The token of an observer. It is only compared.
public typealias AUParameterObserverToken = UnsafeMutableRawPointer

public enum AUParameterAutomationEventType: UInt32, Sendable {
    case value, touch, release
}

public struct AURecordedParameterEvent: Sendable, Hashable {
    public var hostTime: UInt64
    public var address: AUParameterAddress
    public var value: AUValue
    public init(hostTime: UInt64, address: AUParameterAddress, value: AUValue) {
        (self.hostTime, self.address, self.value) = (hostTime, address, value)
    }
}

public struct AUParameterAutomationEvent: Sendable, Hashable {
    public var hostTime: UInt64
    public var address: AUParameterAddress
    public var value: AUValue
    public var eventType: AUParameterAutomationEventType
    public var reserved: UInt64 = 0
    public init(
        hostTime: UInt64, address: AUParameterAddress, value: AUValue, eventType: AUParameterAutomationEventType,
        reserved: UInt64 = 0
    ) {
        (self.hostTime, self.address, self.value) = (hostTime, address, value)
        (self.eventType, self.reserved) = (eventType, reserved)
    }
}

/// A node of a tree of parameters. Safe to use from any thread.
///
/// Observers are called on the thread that sets a value, before the setter returns (ours).
open class AUParameterNode: NSObject, @unchecked Sendable {
    // Unchecked: what changes is behind the lock. The author's functions are called without it.

    /// The author's functions and the observers of one node.
    struct Functions {
        var valueObserver: AUImplementorValueObserver?
        var valueProvider: AUImplementorValueProvider?
        var stringFromValue: AUImplementorStringFromValueCallback?
        var valueFromString: AUImplementorValueFromStringCallback?
        var displayName: AUImplementorDisplayNameWithLengthCallback?
        var observers: [(token: AUParameterObserverToken, observer: Observer)] = []
        weak var parent: AUParameterNode?
    }

    enum Observer {
        case value(AUParameterObserver)
        case recording(AUParameterRecordingObserver)
        case automation(AUParameterAutomationObserver)
    }

    // Unchecked: the functions of authors, which only the mutex lets in.
    private struct Box: @unchecked Sendable { var functions = Functions() }

    public let identifier: String
    public let displayName: String
    private let box = Mutex(Box())

    init(identifier: String, name: String) { (self.identifier, displayName) = (identifier, name) }

    func read<Value>(_ body: (Functions) -> Value) -> Value {
        // The value leaves the lock as it is: the functions are as safe as their author has made them.
        nonisolated(unsafe) var value: Value?
        box.withLock { value = body($0.functions) }
        // The lock always runs the code that sets the value.
        guard let value else { fatalError("unreachable: the body has run") }
        return value
    }

    func change(_ body: (inout Functions) -> Void) {
        box.withLock { body(&$0.functions) }
    }

    /// The group that has the node.
    var parent: AUParameterNode? { read(\.parent) }

    /// The node and its groups, from the inside out.
    var lineage: some Sequence<AUParameterNode> { sequence(first: self) { $0.parent } }

    /// The identifiers from the tree's groups to the node, joined by full stops.
    open var keyPath: String {
        lineage.filter { !($0 is AUParameterTree) }.map(\.identifier).reversed().joined(separator: ".")
    }

    open func displayName(withLength maximumLength: Int) -> String {
        let callback = lineage.lazy.compactMap { $0.implementorDisplayNameWithLengthCallback }.first
        return callback?(self, maximumLength) ?? displayName
    }

    // MARK: The author's functions, each for the nodes below

    public var implementorValueObserver: AUImplementorValueObserver {
        get { read(\.valueObserver) ?? { _, _ in } }
        set { change { $0.valueObserver = newValue } }
    }
    public var implementorValueProvider: AUImplementorValueProvider {
        get { read(\.valueProvider) ?? { $0.storedValue } }
        set { change { $0.valueProvider = newValue } }
    }
    public var implementorStringFromValueCallback: AUImplementorStringFromValueCallback {
        get { read(\.stringFromValue) ?? { $0.standardString(from: $1?.pointee ?? $0.value) } }
        set { change { $0.stringFromValue = newValue } }
    }
    public var implementorValueFromStringCallback: AUImplementorValueFromStringCallback {
        get { read(\.valueFromString) ?? { _, text in AUValue(text) ?? 0 } }
        set { change { $0.valueFromString = newValue } }
    }
    public var implementorDisplayNameWithLengthCallback: AUImplementorDisplayNameWithLengthCallback? {
        get { read(\.displayName) }
        set { change { $0.displayName = newValue } }
    }

    // MARK: Observers

    open func token(byAddingParameterObserver observer: @escaping AUParameterObserver) -> AUParameterObserverToken {
        add(.value(observer))
    }

    open func token(
        byAddingParameterRecordingObserver observer: @escaping AUParameterRecordingObserver
    ) -> AUParameterObserverToken { add(.recording(observer)) }

    open func token(
        byAddingParameterAutomationObserver observer: @escaping AUParameterAutomationObserver
    ) -> AUParameterObserverToken { add(.automation(observer)) }

    private static let tokens = Mutex(UInt(0))

    private func add(_ observer: Observer) -> AUParameterObserverToken {
        let number = Self.tokens.withLock { number in
            number += 16
            return number
        }
        // The counter begins at 16, and never reaches 0 again.
        guard let token = UnsafeMutableRawPointer(bitPattern: number) else { fatalError("unreachable: it is not 0") }
        change { $0.observers.append((token, observer)) }
        return token
    }

    open func removeParameterObserver(_ token: AUParameterObserverToken) {
        change { $0.observers.removeAll { $0.token == token } }
    }
}

// Unchecked: its nodes are constant, and each has a lock.
/// A group of parameters and groups.
open class AUParameterGroup: AUParameterNode, @unchecked Sendable {
    public let children: [AUParameterNode]

    init(identifier: String, name: String, children: [AUParameterNode]) {
        self.children = children
        super.init(identifier: identifier, name: name)
        for child in children { child.change { $0.parent = self } }
    }

    /// The parameters of the group and of those within it, in their order.
    open var allParameters: [AUParameter] {
        children.flatMap { child -> [AUParameter] in
            switch child {
            case let parameter as AUParameter: [parameter]
            case let group as AUParameterGroup: group.allParameters
            default: []
            }
        }
    }
}
