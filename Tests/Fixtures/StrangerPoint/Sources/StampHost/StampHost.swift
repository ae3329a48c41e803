// StampHost: a session of a host with a stamp.

import ExtensionHost
import ExtensionPointKit
// An app gets the vocabulary with it.
@_exported import StampMessages

/// A session with a stamp. The errors of all methods are those of `ExtensionRequest.call`.
public struct StampSession: Sendable {
    private let request: ExtensionRequest

    /// Begins a session with the extension of this identifier.
    public init(_ identifier: String, _ host: HostApplication) async throws {
        request = try await host.begin(identifier, items: [])
    }

    /// Returns a text with its stamp.
    public func stamp(_ text: String) async throws -> String {
        try await request.call(ApplyStamp(text: text)).text
    }

    /// Returns pages with their stamps, as they come.
    public func stamp(pages: [String]) -> CallParts<StampPages.Part> { request.parts(of: StampPages(pages: pages)) }

    /// Returns a file with its stamp, open for reading.
    public func stamp(fileAt path: String, named name: String) async throws -> PointFile {
        try await request.call(StampFile(file: try PointFile(readingAt: path), fileName: name)).file
    }

    /// Ends the session, and returns its outcome.
    public func end() async throws -> RequestOutcome {
        try await request.call(EndStamps())
        return await request.outcome
    }
}
