// Mutex: the lock of builds for the thread sanitizer, in the place of Synchronization's Mutex.

#if EXTHOST_THREAD_SANITIZER

    internal import Glibc

    /// A value behind a pthread mutex, with the part of the interface of Synchronization's `Mutex` that the project
    /// uses.
    ///
    /// Synchronization's `Mutex` is a futex on Linux. Its fast path is inlined into the caller, but a thread that has
    /// to wait takes the lock inside the standard library, which is not built for the sanitizer. The sanitizer never
    /// learns that the lock changed hands, and reports races for values that are touched inside `withLock` only. It
    /// knows pthread_mutex_lock(3). So `Scripts/test --sanitize=thread` defines `EXTHOST_THREAD_SANITIZER`; no other
    /// build has this type. A file that imports `Locks` then uses this type by the name, because a module's own names
    /// hide those that it exports from others.
    ///
    /// Not recursive: locking it again on the thread that holds it ends the program, as with Synchronization's.
    public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Unchecked: what the pointers lead to is reached inside the lock only.

        /// The pthread mutex, on the heap, because it must not move.
        private let lock: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        public init(_ initialValue: consuming sending Value) {
            lock = .allocate(capacity: 1)
            value = .allocate(capacity: 1)
            value.initialize(to: initialValue)
            var attributes = pthread_mutexattr_t()
            pthread_mutexattr_init(&attributes)
            pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
            let failure = pthread_mutex_init(lock, &attributes)
            pthread_mutexattr_destroy(&attributes)
            // pthread_mutex_init(3): without attributes that need the kernel, it always returns 0.
            precondition(failure == 0, "no mutex: error \(failure)")
        }

        deinit {
            pthread_mutex_destroy(lock)
            lock.deallocate()
            value.deinitialize(count: 1)
            value.deallocate()
        }

        /// Runs `body` with the value, while no other thread does.
        public borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            let failure = pthread_mutex_lock(lock)
            precondition(failure == 0, "the thread holds this lock already: error \(failure)")
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }

#endif
