// MainThread: a check that reports once if an author's code uses a view off the main thread, as Apple's checker does.

import Dispatch
import Foundation
import LinuxDescriptors

/// Whether code runs on the main queue or the main thread. In a program that calls `dispatchMain()` itself the two
/// differ on Linux.
enum MainThread {
    private static let mark = DispatchSpecificKey<Bool>()
    private static let marked: Void = DispatchQueue.main.setSpecific(key: mark, value: true)

    private static var isCurrent: Bool {
        _ = marked
        return Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true
    }

    private static let complaint: Void = StandardStreams.writeError(
        "exthost: a view or view controller was changed off the main thread: use DispatchQueue.main.async or the main actor\n"
    )

    /// Reports a call off the main thread, which code of Swift 5 can make unseen by the compiler.
    ///
    /// Ours: one line in the extension's log, and the call continues.
    static func check() {
        if !isCurrent { _ = complaint }
    }
}
