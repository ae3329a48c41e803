// ForwardingDelegate: the events of a session of FoundationNetworking, for the author's delegate.

internal import Foundation
internal import FoundationNetworking
internal import Locks

/// Gets the events with FoundationNetworking's tasks, and passes them on with ours.
final class ForwardingDelegate: NSObject, FoundationNetworking.URLSessionDataDelegate,
    FoundationNetworking.URLSessionDownloadDelegate, @unchecked Sendable
{
    // Unchecked: the delegate is set once, and the rest is behind locks.

    let delegate: (any URLSessionDelegate)?
    /// The session of the author; FoundationNetworking's holds this object until it is invalid.
    var owner: URLSession? {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }
    private let held = Mutex<URLSession?>(nil)
    private let tasks = Mutex<[Int: URLSessionTask]>([:])

    init(_ delegate: (any URLSessionDelegate)?) { self.delegate = delegate }

    func add(_ task: URLSessionTask) { tasks.withLock { $0[task.taskIdentifier] = task } }

    func task(_ task: FoundationNetworking.URLSessionTask) -> URLSessionTask? {
        tasks.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(_ session: FoundationNetworking.URLSession, didBecomeInvalidWithError error: (any Error)?) {
        if let owner { delegate?.urlSession(owner, didBecomeInvalidWithError: error) }
        owner = nil
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let owner, let delegate else { return completionHandler(.performDefaultHandling, nil) }
        delegate.urlSession(owner, didReceive: challenge, completionHandler: completionHandler)
    }

    // MARK: Tasks

    func urlSession(
        _ session: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let owner, let own = self.task(task), let delegate = delegate as? any URLSessionTaskDelegate else {
            return completionHandler(request)
        }
        delegate.urlSession(
            owner, task: own, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let owner, let own = self.task(task), let delegate = delegate as? any URLSessionTaskDelegate else {
            return completionHandler(.performDefaultHandling, nil)
        }
        delegate.urlSession(owner, task: own, didReceive: challenge, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard let owner, let own = self.task(task), let delegate = delegate as? any URLSessionTaskDelegate else {
            return completionHandler(nil)
        }
        delegate.urlSession(owner, task: own, needNewBodyStream: completionHandler)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        guard let owner, let own = self.task(task), let delegate = delegate as? any URLSessionTaskDelegate else {
            return completionHandler(.continueLoading, nil)
        }
        delegate.urlSession(
            owner, task: own, willBeginDelayedRequest: request, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        guard let owner, let own = self.task(task) else { return }
        (delegate as? any URLSessionTaskDelegate)?.urlSession(owner, task: own, didFinishCollecting: metrics)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        guard let owner, let own = self.task(task) else { return }
        (delegate as? any URLSessionTaskDelegate)?.urlSession(owner, task: own, didCompleteWithError: error)
        tasks.withLock { $0[task.taskIdentifier] = nil }
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        guard let owner, let own = self.task(task) else { return }
        (delegate as? any URLSessionTaskDelegate)?.urlSession(
            owner, task: own, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    // MARK: Data

    func urlSession(
        _ session: FoundationNetworking.URLSession, dataTask: FoundationNetworking.URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let owner, let own = task(dataTask) as? URLSessionDataTask,
            let delegate = delegate as? any URLSessionDataDelegate
        else { return completionHandler(.allow) }
        delegate.urlSession(owner, dataTask: own, didReceive: response, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, dataTask: FoundationNetworking.URLSessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard let owner, let own = task(dataTask) as? URLSessionDataTask,
            let delegate = delegate as? any URLSessionDataDelegate
        else { return completionHandler(proposedResponse) }
        delegate.urlSession(
            owner, dataTask: own, willCacheResponse: proposedResponse, completionHandler: completionHandler)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, dataTask: FoundationNetworking.URLSessionDataTask,
        didReceive data: Data
    ) {
        guard let owner, let own = task(dataTask) as? URLSessionDataTask else { return }
        (delegate as? any URLSessionDataDelegate)?.urlSession(owner, dataTask: own, didReceive: data)
    }

    // MARK: Downloads

    func urlSession(
        _ session: FoundationNetworking.URLSession, downloadTask: FoundationNetworking.URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        guard let owner, let own = task(downloadTask) as? URLSessionDownloadTask else { return }
        (delegate as? any URLSessionDownloadDelegate)?.urlSession(
            owner, downloadTask: own, didResumeAtOffset: fileOffset, expectedTotalBytes: expectedTotalBytes)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, downloadTask: FoundationNetworking.URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let owner, let own = task(downloadTask) as? URLSessionDownloadTask else { return }
        (delegate as? any URLSessionDownloadDelegate)?.urlSession(
            owner, downloadTask: own, didFinishDownloadingTo: location)
    }

    func urlSession(
        _ session: FoundationNetworking.URLSession, downloadTask: FoundationNetworking.URLSessionDownloadTask,
        didWriteData bytesWritten: Int64, totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard let owner, let own = task(downloadTask) as? URLSessionDownloadTask else { return }
        (delegate as? any URLSessionDownloadDelegate)?.urlSession(
            owner, downloadTask: own, didWriteData: bytesWritten, totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }
}
