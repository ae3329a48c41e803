// MemoryPressure: Dispatch's source of memory pressure, which Linux's Dispatch lacks.

public import Dispatch
import Locks

/// A source of events about a machine that runs out of memory. Safe to use from any thread.
public protocol DispatchSourceMemoryPressure: AnyObject, Sendable {
    /// The last events: none.
    var data: DispatchSource.MemoryPressureEvent { get }
    /// The events that were asked for.
    var mask: DispatchSource.MemoryPressureEvent { get }
    /// Whether the source was cancelled.
    var isCancelled: Bool { get }
    /// Takes a handler of events, which is never called.
    func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (() -> Void)?)
    /// Takes the handler that a cancel calls once, on the queue of the source.
    func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (() -> Void)?)
    /// Begins, without effect.
    func activate()
    /// Goes on, without effect.
    func resume()
    /// Pauses, without effect.
    func suspend()
    /// Ends the source and calls the handler of that.
    func cancel()
}

extension DispatchSourceMemoryPressure {
    /// Takes a handler of events, which is never called.
    public func setEventHandler(handler: (() -> Void)?) {
        setEventHandler(qos: .unspecified, flags: [], handler: handler)
    }
    /// Takes the handler that a cancel calls once.
    public func setCancelHandler(handler: (() -> Void)?) {
        setCancelHandler(qos: .unspecified, flags: [], handler: handler)
    }
}

extension DispatchSource {
    /// The levels of pressure.
    public struct MemoryPressureEvent: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Makes a set of bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// No pressure any more.
        public static let normal = MemoryPressureEvent(rawValue: 1)
        /// Little memory.
        public static let warning = MemoryPressureEvent(rawValue: 2)
        /// Hardly any memory.
        public static let critical = MemoryPressureEvent(rawValue: 4)
        /// Every level.
        public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
    }

    /// Returns a source whose event handler is never called: nothing reports pressure here.
    ///
    /// A process above its limit is killed, as on Apple's systems. Only a cancel calls a handler, that of the cancel.
    ///
    /// - Parameters:
    ///   - eventMask: the levels. They are kept only.
    ///   - queue: the queue of the handlers; a global one if nil.
    public class func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure { SilentPressureSource(eventMask, queue) }
}

private final class SilentPressureSource: DispatchSourceMemoryPressure {
    private struct State: @unchecked Sendable {  // the handler is called once, on the source's queue
        var isCancelled = false
        var cancelHandler: (() -> Void)?
    }

    let mask: DispatchSource.MemoryPressureEvent
    private let queue: DispatchQueue
    private let state = Mutex(State())

    init(_ mask: DispatchSource.MemoryPressureEvent, _ queue: DispatchQueue?) {
        (self.mask, self.queue) = (mask, queue ?? .global())
    }

    var data: DispatchSource.MemoryPressureEvent { [] }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (() -> Void)?) {}
    func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (() -> Void)?) {
        nonisolated(unsafe) let handler = handler
        state.withLock { $0.cancelHandler = handler }
    }
    func activate() {}
    func resume() {}
    func suspend() {}

    func cancel() {
        let handler: (() -> Void)? = state.withLock { state in
            defer { (state.isCancelled, state.cancelHandler) = (true, nil) }
            return state.isCancelled ? nil : state.cancelHandler
        }
        guard let handler else { return }
        nonisolated(unsafe) let call = handler  // called once
        queue.async { call() }
    }
}
