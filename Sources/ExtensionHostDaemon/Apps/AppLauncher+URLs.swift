// AppLauncher+URLs: the opening of URLs for extensions: the permission, and the app that opens them.

import EventLog
import EventLoop
import ExtensionConnection
import ExtensionPoints
import ExtensionProtocol
import ExtensionRegistry

extension AppLauncher {
    /// URLs of one process that may wait for their app.
    private static let urlsLimit = 4

    /// Opens a URL for an extension (`NSExtensionContext.open(_:)`).
    ///
    /// Each extension point decides whether it supports this (spec 1.1). The app is always the one that contains the
    /// extension, whatever the point allows: no other program opens URLs here.
    func open(_ packet: Packet, _ message: OpenURL, for process: ExtensionProcess) {
        let scheme = Application.scheme(of: message.url)
        let finish = { @HostActor [weak process] (result: Result<AppOpened, ExtensionHostError>) in
            // The process that asked has ended.
            guard let process, !process.isOver else { return }
            switch result {
            case .success: process.peer?.reply(packet, Success())
            case .failure(let error):
                let shown = scheme.map { "scheme \($0.cut(toBytes: 64)): " } ?? ""
                process.tell(.refusedURL(message.request, detail: shown + error.message))
                process.peer?.reply(packet, error)
            }
        }
        let app: String
        do {
            app = try appThatMayOpen(message, scheme, for: process)
        } catch {
            return finish(.failure(error))
        }
        guard process.unopenedURLs < Self.urlsLimit else {
            return finish(
                .failure(
                    ExtensionHostError(
                        .quotaExceeded,
                        "\(Self.urlsLimit) URLs of this extension wait for their app, which is the limit",
                        remedy: "Open them one after the other")))
        }
        process.unopenedURLs += 1
        let activate = Activate(reason: .url, url: message.url, source: process.bundle.identifier)
        let opening = AppOpening(activate, request: message.request) { [weak process] result in
            process?.unopenedURLs -= 1
            finish(result)
        }
        open(app, opening, LaunchOptions(identity: process.identity)) { application in
            guard let scheme, !application.schemes.contains(scheme) else { return nil }
            return ExtensionHostError(
                .notSimulated,
                "\(application.identifier) does not open \(scheme.cut(toBytes: 64)) URLs, and the daemon asks no other app",
                remedy: "Name the scheme in CFBundleURLTypes of the app's Info.plist")
        }
    }

    private func appThatMayOpen(
        _ message: OpenURL, _ scheme: String?, for process: ExtensionProcess
    ) throws(ExtensionHostError) -> String {
        guard process.requests[message.request]?.isOpen == true else {
            throw ExtensionHostError(
                .contextFinished, "the request is over", remedy: "Open the URL before the request is completed")
        }
        guard process.point.urlPolicy != .never else {
            throw .notAvailableToExtensions(process.point.identifier)
        }
        guard scheme != nil else {
            throw ExtensionHostError(
                .invalidArgument, "a URL without a scheme cannot be opened", remedy: "Give an absolute URL")
        }
        guard message.url.utf8.count <= AppOpening.urlLimit else {
            throw ExtensionHostError(
                .payloadTooLarge, "a URL to open has at most \(AppOpening.urlLimit) bytes",
                remedy: "Share longer data through an app group")
        }
        guard let app = process.bundle.containingApp else {
            throw ExtensionHostError(
                .noSuchExtension, "\(process.bundle.identifier) is not in an app",
                remedy: "Put it into the PlugIns folder of its app")
        }
        return app
    }
}

extension ExtensionHostError {
    fileprivate static func notAvailableToExtensions(_ point: String) -> ExtensionHostError {
        ExtensionHostError(
            .notAvailableToExtensions, "extensions of \(point) may not open URLs",
            remedy: "Return the URL to the host in an item", cause: "only Today and message extensions may")
    }
}
