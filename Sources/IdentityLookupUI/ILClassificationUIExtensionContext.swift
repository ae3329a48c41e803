// ILClassificationUIExtensionContext: the context of a report, which enables the host's button Done.

public import ExtensionFoundation
import Locks
import PointFrameworkKit
import PointMessages

/// The context of a report.
open class ILClassificationUIExtensionContext: NSExtensionContext, @unchecked Sendable {  // its state is locked
    private let isReady = Mutex(false)

    /// Whether the extension has all it needs for an answer. The host enables its button Done accordingly (documented).
    ///
    /// At first it is false. Any thread may set it.
    open var isReadyForClassificationResponse: Bool {
        get { isReady.withLock { $0 } }
        set {
            isReady.withLock { isReady in
                guard isReady != newValue else { return }
                isReady = newValue
                // Sent under the lock: the host gets the values in the order in which they were set.
                PointSession.of(self)?.send(ChangeClassificationReadiness(newValue))
            }
        }
    }
}
