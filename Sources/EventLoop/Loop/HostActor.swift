// HostActor: the global actor on which all of the daemon's state lives; its executor is the event loop.

/// The only isolation domain of the daemon. Code that is isolated to it runs on the thread that runs
/// `EventLoop.shared`, one piece at a time. State changes are therefore plain synchronous functions and need no locks.
@globalActor
public actor HostActor {
    public static let shared = HostActor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { EventLoop.shared.asUnownedSerialExecutor() }
}

extension HostActor {
    /// Runs `operation` at once, given that the caller is on the loop's thread already. C callbacks enter through it.
    ///
    /// The call traps on any other thread, because continuing would be a data race. `MainActor.assumeIsolated` works
    /// the same way.
    public static func assumeIsolated<Result: Sendable, Failure: Error>(
        _ operation: @HostActor () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        typealias Isolated = @HostActor () throws(Failure) -> Result
        typealias Plain = () throws(Failure) -> Result
        EventLoop.shared.checkIsolated()
        return try withoutActuallyEscaping(operation) { (function: @escaping Isolated) throws(Failure) -> Result in
            // Isolation is no part of a function's representation, so the two types have the same layout. This is the
            // only place of the project with this cast; the check above is what makes it sound.
            try unsafeBitCast(function, to: Plain.self)()
        }
    }

    /// Enters from a C callback with the `userdata` it was registered with. The callback must be one that libsystemd
    /// calls on the loop's thread only.
    static func enter<Result: Sendable>(
        _ userdata: UnsafeMutableRawPointer?, _ body: @HostActor (UnsafeMutableRawPointer) -> Result
    ) -> Result? {
        guard let userdata else { return nil }
        // The pointer does not change threads here: caller and body are on the same one, as `assumeIsolated` checks.
        nonisolated(unsafe) let pointer = userdata
        return assumeIsolated { body(pointer) }
    }

    /// Enters from a C callback that also gets an object of libsystemd.
    static func enter<Result: Sendable>(
        _ userdata: UnsafeMutableRawPointer?, _ object: OpaquePointer?,
        _ body: @HostActor (UnsafeMutableRawPointer, OpaquePointer) -> Result
    ) -> Result? {
        guard let object else { return nil }
        // As above, the object stays on its thread.
        nonisolated(unsafe) let pointer = object
        return enter(userdata) { body($0, pointer) }
    }
}
