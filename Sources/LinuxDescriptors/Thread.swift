// startThread: a thread that leaves the program's signals alone.

internal import CLinux
internal import Glibc

private final class ThreadBody {
    let name: String
    let niceness: Int32
    let run: () -> Void
    init(_ name: String, _ niceness: Int32, _ run: @escaping () -> Void) {
        self.name = name
        self.niceness = niceness
        self.run = run
    }
}

/// Starts a detached thread with every signal blocked, so that the program's own handling of signals stays undisturbed.
///
/// Names over 15 bytes are cut.
///
/// - Parameter niceness: the increment to the niceness of the calling thread (nice(2)).
public func startThread(
    named name: String, niceness: Int32 = 0, _ body: @escaping @Sendable () -> Void
) throws(SystemError) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let box = Unmanaged.passRetained(ThreadBody(name, niceness, body))
    var thread = pthread_t()
    let failure = pthread_create(
        &thread, nil,
        { argument in
            // pthread_create hands over the retained box; a nil argument cannot happen.
            guard let argument else { return nil }
            let body = Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
            exthost_name_thread(body.name)
            // On Linux the niceness is the calling thread's alone.
            if body.niceness != 0 { _ = nice(body.niceness) }
            body.run()
            return nil
        }, box.toOpaque())
    guard failure == 0 else {
        box.release()
        throw SystemError("pthread_create", code: failure)
    }
    pthread_detach(thread)
}
