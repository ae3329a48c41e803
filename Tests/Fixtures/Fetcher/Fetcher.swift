// Fetcher: a share extension that downloads what is shared with it in the background, and completes at once with the
// names of what the service has accepted; for tests.

import BackgroundTransfers
import ExtensionFoundation
import Foundation
import Glibc

final class Fetcher: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {
        let texts = (context.inputItems as? [NSExtensionItem] ?? []).compactMap(\.attributedContentText?.string)
        let words = texts.joined(separator: " ").split(separator: " ").map(String.init)
        let configuration = URLSessionConfiguration.background(withIdentifier: words[0])
        configuration.sharedContainerIdentifier = "group.org.exthost.tests"
        configuration.isDiscretionary = words.contains("later")
        configuration.sessionSendsLaunchEvents = !words.contains("quietly")
        let session = URLSession(configuration: configuration, delegate: Listener(), delegateQueue: nil)
        var accepted: [String] = []
        for word in words.dropFirst() {
            guard word.contains(":"), let url = URL(string: word) else { continue }
            // An upload is of a file that takes more than one turn to copy.
            let task =
                words.contains("upload")
                ? session.uploadTask(with: URLRequest(url: url), fromFile: largeFile())
                : session.downloadTask(with: url)
            if words.contains("suspended") { continue }
            task.resume()
            if task.error == nil { accepted.append(url.lastPathComponent) }
        }
        print("began \(accepted.count)")
        let item = NSExtensionItem()
        item.attributedContentText = NSAttributedString(string: accepted.joined(separator: " "))
        context.completeRequest(returningItems: [item], completionHandler: nil)
    }
}

/// Returns a file of 24 MiB in the group's container.
private func largeFile() -> URL {
    let group = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.org.exthost.tests")
    let file = (group ?? FileManager.default.temporaryDirectory).appendingPathComponent("large")
    try? Data(count: 24 << 20).write(to: file)
    return file
}

/// Adds a line to the list of kept files, in which a file that comes twice has two.
private func note(_ name: String, beside place: URL) {
    let list = open(place.deletingLastPathComponent().path + "/list", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    _ = write(list, name + "\n", name.utf8.count + 1)
    close(list)
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
        guard (try? FileManager.default.moveItem(at: location, to: place)) != nil else { return }
        note(name, beside: place)
        print("extension has", name)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        print("extension completes", task.taskIdentifier, error.map { ($0 as NSError).code } ?? 0)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        print("extension is invalid", error.map { ($0 as NSError).code } ?? 0)
    }
}
