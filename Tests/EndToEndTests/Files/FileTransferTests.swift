// FileTransferTests: background transfers that a provider has tied to an item.

import ExtensionHost
import ExtensionHostTesting
import ExtensionPointKit
import Foundation
import LinuxSystem
import PointHosts
import TestPrograms
import Testing
import TransferMessages

@Suite struct FileTransferTests {
    private static let answers = [
        TransferAnswer("https://example.org/1", body: Array("first".utf8), duration: 100),
        TransferAnswer("https://example.org/2", body: Array("second".utf8), duration: 100),
    ]

    // spec: FP-30
    @Test("FP-30: the host shows an item as downloading from the registration to the end of the transfer")
    func anItemIsShownAsDownloading() async throws {
        let folder = try TemporaryDirectory()
        defer { try? folder.remove() }
        try await FilesStage.with(store: folder.path, clock: .virtual) { stage in
            func listed(_ options: String...) async throws -> Program.Ending {
                try await Program.control(
                    ["files", "transfers", "--store", folder.path] + options, socket: stage.daemon.address.path
                ).ending()
            }
            try await stage.daemon.answerTransfers(Self.answers)
            #expect(try await listed().output == "No item is being transferred.\n")

            await stage.have("download")
            try await eventually { try await stage.log("registered again 1").count == 1 }
            #expect(try await stage.log("registered 1") == ["registered 1 "])
            // The registration of a resumed task is refused, and the first one counts.
            #expect(try await stage.log("registered again 1").first?.contains("has been resumed already") == true)
            let first = try #require(try await stage.provider.transfers().first)
            #expect(first.item == "a" && first.session == "files" && !first.isUpload && first.domain == nil)
            #expect(first.owner == stage.bundles.path + "/Tests.app")
            try await eventually { try await stage.provider.transfers().map(\.isSuspended) == [false] }
            let text = try await listed()
            #expect(text.status == 0 && text.output.contains("downloading"), "\(text)")
            let json = try await listed("--json")
            let documents = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
            #expect(documents?.first?["item"] as? String == "a" && documents?.count == 1, "\(json)")

            // An item has one transfer at a time: the later one counts.
            await stage.have("download-again")
            try await eventually { try await stage.log("registered 2").count == 1 }
            let second = try await stage.provider.transfers()
            #expect(second.count == 1 && second.first?.task != first.task, "\(second)")

            // A tool that looks, perhaps by another daemon, removes nothing.
            try await withTestDaemon(applications: [] as [String], clock: .virtual) { other in
                let seen = try await Program.control(
                    ["files", "transfers", "--store", folder.path], socket: other.address.path
                ).ending()
                #expect(seen.output == "No item is being transferred.\n", "\(seen)")
            }
            await stage.have("upload")
            try await eventually { try await stage.log("upload registered").count == 1 }
            let both = try await stage.provider.transfers()
            #expect(both.map(\.isUpload) == [false, true] && both.map(\.isSuspended) == [false, true], "\(both)")

            try await stage.daemon.clock.advance(by: .seconds(101))
            try await eventually { try await stage.provider.transfers().map(\.item) == ["b"] }
            let upload = try #require(both.last)
            _ = try await Program.control(
                ["transfers", "cancel", "files", "\(upload.task)"], socket: stage.daemon.address.path
            ).ending()
            try await eventually { try await stage.provider.transfers().isEmpty }
            #expect(try await listed().output == "No item is being transferred.\n")
        }
    }
}
