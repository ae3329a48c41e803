// CallQueue: a serial queue on which the code of calls runs.

package import Dispatch
package import ExtensionItems

/// A serial queue as the executor of tasks. The code of a task runs on it, between its suspensions.
///
/// A fence waits for that code, as for all code of an author.
public final class CallQueue: TaskExecutor {
    private let queue: DispatchQueue
    private let activity: Activity

    /// - Parameters:
    ///   - queue: a serial queue.
    ///   - activity: counts the code that runs.
    package init(_ queue: DispatchQueue, _ activity: Activity) {
        self.queue = queue
        self.activity = activity
    }

    /// Runs a job on the queue, after the earlier ones.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        activity.enter()
        queue.async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            activity.leave()
        }
    }
}
