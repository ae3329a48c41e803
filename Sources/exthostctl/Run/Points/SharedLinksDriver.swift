// SharedLinksDriver: `run` for a shared links extension: a table of its links.

import ExtensionHost
import ExtensionHostTesting
import Foundation
import PointHosts

struct SharedLinksDriver: PointDriver {
    static let point = SharedLinksHost.point
    static let showsView = false
    /// The request itself is all that there is.
    static let exploredCalls: [ExplorationCall] = []

    init(_ options: PointOptions, _ command: RunCommand, _ path: String?, _ console: RunConsole) throws {}

    func run(_ identifier: String, _ host: HostApplication) async throws -> PointReport {
        let found: SharedLinksHost.Links
        do {
            found = try await SharedLinksHost(host).links(of: identifier)
        } catch let error where !(error is ExtensionHostError || error is CancellationError) {
            // The extension's own error, with which it cancelled.
            let error = error as NSError
            let words = "no links: \(error.domain) \(error.code)\n  \(error.localizedDescription)"
            return PointReport(
                text: words.split(separator: "\n").map { printable(String($0)) + "\n" }.joined(),
                json: [
                    ("extension", .string(identifier)), ("domain", .string(error.domain)),
                    ("code", .integer(error.code)), ("error", .string(error.localizedDescription)),
                ], status: ExitStatus.notExpected)
        }
        var table = Table(
            .init(heading: "DATE"), .init(heading: "TITLE"), .init(heading: "FROM"), .init(heading: "URL"))
        for link in found.links {
            table.add(
                written(universalTime: Self.microseconds(link.date)), link.title ?? "", link.displayName ?? "",
                link.url.absoluteString)
        }
        let remarks = found.remarks.map { "remark: \(printable($0))\n" }.joined()
        let links = found.links.map { link -> JSON in
            [
                "uniqueIdentifier": .string(link.identifier), "urlString": .string(link.url.absoluteString),
                "date": .time(Self.microseconds(link.date)), "displayName": .optional(link.displayName),
                "title": .optional(link.title), "contentText": .optional(link.text),
                "image": .optional(link.image?.registeredTypeIdentifiers.first),
            ]
        }
        return PointReport(
            text: table.text(emptyNote: "no links: \(printable(identifier))") + remarks,
            json: [
                ("extension", .string(identifier)), ("links", .array(links)),
                ("remarks", .array(found.remarks.map { .string($0) })),
            ], status: 0)
    }

    private static func microseconds(_ date: Date) -> Int {
        Int(max(-8e15, min(8e15, date.timeIntervalSince1970 * 1e6)))
    }
}
