// PageHostEnd: the reasons why a page host has ended.

internal import LinuxSystem

/// The end of a page host that was not asked for. All its processes are gone.
enum PageHostEnd: Error, Sendable {
    /// The process could not be started, for this reason.
    case notStarted(String)
    /// No answer came in time, and the process was killed.
    case timedOut
    /// The process took more memory than it may, and was killed.
    case memory
    /// The processes had too many tasks.
    case tasks
    /// The process ended by itself.
    case ended(ExitStatus)
    /// The answer was malformed, and the process was killed.
    case violation
    /// The task was cancelled, and the process was killed.
    case cancelled
    /// The host has closed the page.
    case closed
}
