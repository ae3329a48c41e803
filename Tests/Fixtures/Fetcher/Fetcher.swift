// Fetcher: a share extension that downloads what is shared with it in the background, and completes at once with the
// names of what the service has accepted; for tests.

import BackgroundTransfers
import ExtensionFoundation
import Foundation

final class Fetcher: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        let texts = (context.inputItems as? [NSExtensionItem] ?? []).compactMap(\.attributedContentText?.string)
        let words = texts.joined(separator: " ").split(separator: " ").map(String.init)
        let configuration = URLSessionConfiguration.background(withIdentifier: words[0])
        configuration.sharedContainerIdentifier = "group.org.exthost.tests"
        configuration.isDiscretionary = words.contains("later")
        let session = URLSession(configuration: configuration, delegate: Listener(), delegateQueue: nil)
        var accepted: [String] = []
        for word in words.dropFirst() {
            guard word.contains(":"), let url = URL(string: word) else { continue }
            let task = session.downloadTask(with: url)
            task.resume()
            if task.error == nil { accepted.append(url.lastPathComponent) }
        }
        print("began \(accepted.count)")
        let item = NSExtensionItem()
        item.attributedContentText = NSAttributedString(string: accepted.joined(separator: " "))
        context.completeRequest(returningItems: [item], completionHandler: nil)
    }
}

/// Prints what the session tells, and keeps its files.
private final class Listener: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    // Unchecked: it has no state.
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        guard FileManager.default.fileExists(atPath: location.path) else { return }
        let group = FileManager.default.containerURL(
            forSecurityApplicationGroupIdentifier: "group.org.exthost.tests")
        let name = downloadTask.originalRequest?.url?.lastPathComponent ?? "file"
        guard let place = group?.appendingPathComponent(name) else { return }
        try? FileManager.default.removeItem(at: place)
        try? FileManager.default.moveItem(at: location, to: place)
        print("extension has", name)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        print("extension completes", task.taskIdentifier, error.map { ($0 as NSError).code } ?? 0)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        print("extension is invalid", error.map { ($0 as NSError).code } ?? 0)
    }
}
