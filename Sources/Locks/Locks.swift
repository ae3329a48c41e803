// Locks: Synchronization, with another Mutex in builds for the thread sanitizer (Mutex.swift).
// Every module imports this one in place of Synchronization, so the name Mutex means the same lock everywhere.

@_exported public import Synchronization
