// Fetcher: a share extension that downloads what is shared with it in the background, and completes at once; for tests.

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
        for word in words.dropFirst() {
            guard word.contains(":"), let url = URL(string: word) else { continue }
            session.downloadTask(with: url).resume()
        }
        print("began \(words.count - 1)")
        context.completeRequest(returningItems: [], completionHandler: nil)
    }
}

/// Prints what the session tells.
private final class Listener: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    // Unchecked: it has no state.
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        print("extension has", (try? String(contentsOf: location, encoding: .utf8)) ?? "nothing")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        print("extension completes", task.taskIdentifier, error.map { ($0 as NSError).code } ?? 0)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        print("extension is invalid", error.map { ($0 as NSError).code } ?? 0)
    }
}
