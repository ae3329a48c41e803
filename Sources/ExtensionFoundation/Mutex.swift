// Mutex: in builds for the thread sanitizer, the lock that it understands (see SanitizableMutex).

#if EXTHOST_THREAD_SANITIZER

    // Exported, because a member counts as visible in this module's other files only if they import its module or one exports it.
    @_exported public import struct LinuxDescriptors.SanitizableMutex

    /// A module's own name comes before an imported one.
    typealias Mutex = SanitizableMutex

#endif
