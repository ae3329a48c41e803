// IOSource: a descriptor watched by the loop, and a process watched by its pidfd.

internal import CSystemd
internal import Glibc

/// The events for which a descriptor is watched, and those that are reported; the values of epoll_ctl(2).
public struct IOEvents: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let readable = IOEvents(rawValue: EPOLLIN.rawValue)
    public static let writable = IOEvents(rawValue: EPOLLOUT.rawValue)
    /// An exceptional condition (POLLPRI in poll(2)), such as a changed file of a control group.
    public static let urgent = IOEvents(rawValue: 0x002)
    /// The peer has shut down its writing half.
    public static let readHangUp = IOEvents(rawValue: EPOLLRDHUP.rawValue)
    /// A hang-up, which is always reported.
    public static let hangUp = IOEvents(rawValue: EPOLLHUP.rawValue)
    /// An error, which is always reported.
    public static let error = IOEvents(rawValue: EPOLLERR.rawValue)
}

/// A watched descriptor.
///
/// The watch ends with `cancel` or with the last reference to this object, whichever comes first. A reference may be
/// dropped on any thread; the watch then ends when the loop gets to it.
///
/// The loop calls the handler repeatedly for as long as the condition lasts (level-triggered), in turn with others that
/// are ready. The handler must not retain the source unless it cancels it some day.
@HostActor
public final class IOSource {
    /// The place where the descriptor is watched: usual descriptors together, others by sd-event itself.
    private enum Watch {
        case inSet(DescriptorSet, DescriptorSet.Entry)
        case byLoop(EventSource<IOEvents>)
    }

    private let watch: Watch

    fileprivate init(
        descriptor: Int32, events: IOEvents, in set: DescriptorSet, share: TurnShare?,
        handler: @escaping @HostActor (IOEvents) -> Void
    ) throws(LoopError) {
        watch = .inSet(set, try set.add(descriptor, events, in: share, handler))
    }

    fileprivate init(
        descriptor: Int32, events: IOEvents, priority: EventPriority, firesOnce: Bool,
        handler: @escaping @HostActor (IOEvents) -> Void
    ) throws(LoopError) {
        let source = try EventSource(
            "sd_event_add_io", priority: priority, firesOnce: firesOnce, handler: handler
        ) { loop, pointer, userdata in
            let callback: sd_event_io_handler_t = { _, _, events, userdata in
                HostActor.enter(userdata) { EventSource<IOEvents>.at($0).fire(IOEvents(rawValue: events)) } ?? 0
            }
            return sd_event_add_io(loop, &pointer, descriptor, events.rawValue, callback, userdata)
        }
        watch = .byLoop(source)
    }

    isolated deinit { cancel() }

    /// Changes the events for which the descriptor is watched. A cancelled source does not change.
    public func setEvents(_ events: IOEvents) throws(LoopError) {
        switch watch {
        case .inSet(let set, let entry): try set.setEvents(events, of: entry)
        case .byLoop(let source):
            guard let pointer = source.pointer else { return }
            try LoopError.check(
                "sd_event_source_set_io_events", sd_event_source_set_io_events(pointer, events.rawValue))
        }
    }

    /// Whether the descriptor is watched; if not, not even hang-ups are reported. False once cancelled.
    public var isEnabled: Bool {
        get {
            switch watch {
            case .inSet(let set, let entry): set.isEnabled(entry)
            case .byLoop(let source): source.isEnabled
            }
        }
        set {
            switch watch {
            case .inSet(let set, let entry): set.setEnabled(newValue, of: entry)
            case .byLoop(let source): source.isEnabled = newValue
            }
        }
    }

    /// Ends the watch: the handler is not called after this returns. Cancel before closing the descriptor.
    public func cancel() {
        switch watch {
        case .inSet(let set, let entry): set.remove(entry)
        case .byLoop(let source): source.cancel()
        }
    }
}

extension EventLoop {
    /// Watches a descriptor, which stays the caller's and must stay open until the source is cancelled.
    ///
    /// - Parameter share: the share of the descriptors with which it takes turns; nil: it has turns of its own. For
    ///   usual priority only.
    /// - Throws: `LoopError.call` with EEXIST if the descriptor has a source already, EPERM if it is one that cannot be
    ///   waited for (a plain file).
    @HostActor public func watch(
        descriptor: Int32, for events: IOEvents, priority: EventPriority = .normal, share: TurnShare? = nil,
        handler: @escaping @HostActor (IOEvents) -> Void
    ) throws(LoopError) -> IOSource {
        guard priority == .normal, let set = descriptors else {
            return try IOSource(
                descriptor: descriptor, events: events, priority: priority, firesOnce: false, handler: handler)
        }
        return try IOSource(descriptor: descriptor, events: events, in: set, share: share, handler: handler)
    }

    /// Calls `handler` once, when the process of `pidfd` has ended; the source is cancelled by then.
    ///
    /// The descriptor stays the caller's. Nothing is reaped: a parent does that with `waitid(P_PIDFD)`. The source does
    /// not use `sd_event_add_child_pidfd`, which wants SIGCHLD blocked and the process to be a child.
    @HostActor public func watchProcessExit(
        pidfd: Int32, priority: EventPriority = .normal, handler: @escaping @HostActor () -> Void
    ) throws(LoopError) -> IOSource {
        // A pidfd stays readable for ever, hence the single shot.
        try IOSource(descriptor: pidfd, events: .readable, priority: priority, firesOnce: true) { _ in handler() }
    }
}
