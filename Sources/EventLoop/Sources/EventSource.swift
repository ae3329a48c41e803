// EventSource: one sd_event_source with the handler it calls; the public handles are built on it.

internal import CSystemd
internal import LinuxSystem

/// Connects a Swift handler with an sd-event source.
///
/// sd-event owns one reference to this object, which the source's destroy callback releases. The object therefore
/// outlives every call into it, even if the handler cancels its own source. The handle that wraps the object cancels
/// the source.
@HostActor
final class EventSource<Event: Sendable> {
    private(set) var pointer: OpaquePointer?
    private var handler: (@HostActor (Event) -> Void)?
    private let firesOnce: Bool

    /// - Parameter add: calls the `sd_event_add_…` function with the userdata it is given, and returns its result.
    init(
        _ call: String, priority: EventPriority, firesOnce: Bool = false, handler: @escaping @HostActor (Event) -> Void,
        add: (OpaquePointer?, inout OpaquePointer?, UnsafeMutableRawPointer) -> Int32
    ) throws(LoopError) {
        self.handler = handler
        self.firesOnce = firesOnce
        let userdata = Unmanaged.passRetained(self)
        let result = add(EventLoop.shared.event, &pointer, userdata.toOpaque())
        guard result >= 0 else {
            userdata.release()
            throw .call(SystemError(call, code: -result))
        }
        sd_event_source_set_destroy_callback(pointer) { userdata in
            guard let userdata else { return }
            Unmanaged<AnyObject>.fromOpaque(userdata).release()
        }
        sd_event_source_set_priority(pointer, priority.rawValue)
    }

    /// Returns the object behind a callback's userdata.
    static func at(_ userdata: UnsafeMutableRawPointer) -> EventSource {
        Unmanaged<EventSource>.fromOpaque(userdata).takeUnretainedValue()
    }

    func fire(_ event: Event) -> Int32 {
        let handler = handler
        if firesOnce { cancel() }
        handler?(event)
        return 0
    }

    var isEnabled: Bool {
        get {
            var state: Int32 = 0
            return pointer != nil && sd_event_source_get_enabled(pointer, &state) > 0
        }
        set {
            guard pointer != nil else { return }
            sd_event_source_set_enabled(pointer, newValue ? Int32(SD_EVENT_ON) : Int32(SD_EVENT_OFF))
        }
    }

    /// Removes the source; the handler is never called again, not even for an event that is pending. Idempotent.
    func cancel() {
        guard let source = pointer else { return }
        pointer = nil
        handler = nil
        sd_event_source_disable_unref(source)
    }
}

/// The order in which sources that are ready at once are served: smaller first.
public struct EventPriority: RawRepresentable, Sendable, Hashable {
    public let rawValue: Int64

    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The priority of deaths and deadlines, on which the daemon's correctness depends.
    ///
    /// They come before the rest, but after descriptors that were ready already and have their turn.
    public static let important = EventPriority(rawValue: -100)
    public static let normal = EventPriority(rawValue: 0)
    /// The priority of work for times when nothing else is to be done.
    public static let idle = EventPriority(rawValue: 100)
}
