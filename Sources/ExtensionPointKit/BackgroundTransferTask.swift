// BackgroundTransferTask: a task of a background session, as frameworks beside that of the transfers know it.

/// A task that goes on after its process has ended, under Apple's name `URLSessionTask`.
///
/// `URLSessionTask` of the product `BackgroundTransfers` adopts this protocol, so that other frameworks take such a task
/// without being linked with that product.
public protocol BackgroundTransferTask: AnyObject, Sendable {
    /// The task's place at the service of transfers; nil for a task that ends with its process. Any thread.
    var backgroundTransfer: BackgroundTransfer? { get }
    /// Whether the task has not been resumed, or has been suspended again. Any thread.
    var isSuspended: Bool { get }
}

/// The place of a task at the service of transfers.
public struct BackgroundTransfer: Codable, Sendable, Hashable {
    /// The identifier of the background session.
    public var session: String
    /// The number of the task in its session.
    public var task: Int
    /// Whether the task sends a file; otherwise it receives one.
    public var isUpload: Bool
    /// The address of the task's request. A later session of the same name numbers its tasks from 1 again.
    public var url: String

    /// Makes a place; each value is described at its property.
    public init(session: String, task: Int, isUpload: Bool, url: String) {
        (self.session, self.task, self.isUpload, self.url) = (session, task, isUpload, url)
    }
}
