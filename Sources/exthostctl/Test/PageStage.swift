// PageStage: the browser of one test of an extension with a script for web pages.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts
import Scenarios

/// Shares pages with the extension of a test.
struct PageStage: Sendable {
    /// A share, and the document before `finalize`.
    struct Share: Sendable {
        let request: WebPageRequest
        let before: String
    }

    private let host: HostApplication
    private let identifier: String

    init(_ host: HostApplication, _ identifier: String) { (self.host, self.identifier) = (host, identifier) }

    /// Shows a page, runs the script, and begins the request.
    ///
    /// - Throws: `TestFailure` for a file that cannot be read; errors of `WebPage.open` and `HostApplication.begin`.
    func begin(_ address: String, _ path: String) async throws -> Share {
        guard let url = URL(string: address), let html = FileManager.default.contents(atPath: path) else {
            throw TestFailure(
                expected: "a page", found: "\(path) cannot be read",
                remedy: "Name a file with HTML, relative to the scenario")
        }
        let page = try await host.waiting {
            try await WebPage.open(html: String(decoding: html, as: UTF8.self), url: url)
        }
        var before = ""
        let request = try await WebPageHost(host).begin(identifier, page: page) {
            before = try await host.waiting { try await page.html }
        }
        return Share(request: request, before: before)
    }

    /// Waits for the end of a share.
    func report(of share: Share) async throws -> PageReport {
        let ending = await share.request.ending
        let after = await host.waiting { try? await share.request.page.html }
        return PageReport(share.request, ending, before: share.before, after: after ?? share.before)
    }
}
