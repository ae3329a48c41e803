// FetcherApp: the app around Fetcher, which takes the events of its sessions; for tests.

import BackgroundTransfers
import Foundation
import Glibc
import UIKit

@main final class FetcherApp: UIResponder, UIApplicationDelegate {
    private var keepers: [Keeper] = []

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        print("woken for", identifier, application.applicationState)
        // It ends in its first wake for such a session.
        let group = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.org.exthost.tests")
        if identifier.hasPrefix("fails"), let mark = group?.appendingPathComponent("has failed"),
            !FileManager.default.fileExists(atPath: mark.path)
        {
            try? Data().write(to: mark)
            exit(9)
        }
        let keeper = Keeper(completionHandler)
        keepers.append(keeper)
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.sharedContainerIdentifier = "group.org.exthost.tests"
        keeper.session = URLSession(configuration: configuration, delegate: keeper, delegateQueue: .main)
        if identifier.hasPrefix("more") { begin("in background") }
    }

    /// Begins a download in the session that the app was woken for.
    func application(_ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any]) -> Bool {
        begin("of a person")
        return true
    }

    private func begin(_ name: String) {
        let file = name.replacingOccurrences(of: " ", with: "-")
        keepers.last?.session?.downloadTask(with: URL(string: "https://example.org/" + file)!).resume()
    }
}

/// Adds a line to the list of kept files.
private func note(_ name: String, in folder: URL) throws {
    let list = open(folder.path + "/list", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(list) }
    guard write(list, name + "\n", name.utf8.count + 1) > 0 else { throw CocoaError(.fileWriteUnknown) }
}

/// Keeps the files of a session, and calls the handler after its last event.
private final class Keeper: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    // Unchecked: all is used on the main queue.
    private let done: () -> Void
    var session: URLSession?

    init(_ done: @escaping () -> Void) { self.done = done }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        let folder = FileManager.default.containerURL(
            forSecurityApplicationGroupIdentifier: "group.org.exthost.tests")
        let name = downloadTask.originalRequest?.url?.lastPathComponent ?? "file"
        do {
            guard let folder else { return print("no group") }
            let place = folder.appendingPathComponent(name)
            // An event that comes again names a file that was moved before.
            guard FileManager.default.fileExists(atPath: location.path) else { return print("has", name) }
            try? FileManager.default.removeItem(at: place)
            try FileManager.default.moveItem(at: location, to: place)
            // A file that comes twice has two lines.
            try note(name, in: folder)
            print("kept", name)
        } catch {
            print("not kept:", error)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        print("completed", task.taskIdentifier, error.map { ($0 as NSError).code } ?? status)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        print("events finished")
        if session.configuration.identifier?.hasPrefix("more") != true { done() }
    }
}
