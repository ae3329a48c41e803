// NotificationAttachmentTests: the files beside notifications, and their store (spec NS-5).

import ExtensionHost
import ExtensionHostTesting
import ExtensionProtocol
import Foundation
import LinuxSystem
import PointHosts
import PointMessages
import Testing

@Suite struct NotificationAttachmentTests {
    private static let service = NotificationServiceTests.service

    private static func payload(_ more: [String: Any] = [:]) throws -> Data {
        try NotificationServiceTests.payload(more)
    }

    // spec: NS-5
    @Test(
        arguments: [
            ("picture.png", 100, "moved"), ("picture.png", 10_000_001, "UNErrorDomain 102"),
            ("sound.wav", 5_000_001, "UNErrorDomain 102"), ("film.mp4", 50_000_000, "moved"),
            ("letter.txt", 100, "UNErrorDomain 101"), ("picture.png", 0, "UNErrorDomain 102"),
        ])
    func anAttachmentMovesIntoTheStore(name: String, size: Int, outcome: String) async throws {
        try await NotificationServiceTests.withService { _, host in
            let result = try await host.push(
                Self.payload(["act": "attach", "file": name, "size": size]), to: Self.service)
            #expect(result.shown?.subtitle == outcome)
            guard outcome == "moved" else { return #expect(result.shown?.attachments.isEmpty == true) }
            let attachment = try #require(result.shown?.attachments.first)
            #expect(attachment.identifier == "picture" && attachment.fileName == name)
            var status = stat()
            #expect(fstat(attachment.file.descriptor.raw, &status) == 0 && status.st_size == size)
        }
    }

    /// The files of attachments in the extension's container.
    private static func stored(_ daemon: TestDaemon) throws -> [String] {
        let groups = try #require(daemon.groupContainers)
        let containers = URL(fileURLWithPath: groups).deletingLastPathComponent()
            .deletingLastPathComponent().path
        let store = containers + "/Data/PlugIn/\(service)/tmp/UserNotifications"
        let files = FileManager.default.enumerator(atPath: store)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.contains(".") && !$0.hasSuffix("/") }
    }

    // spec: NS-5
    @Test("NS-5: an attachment's file goes with its notification, whether it was answered, kept or forgotten")
    func theStoreIsEmptyAfterTheNotifications() async throws {
        try await NotificationServiceTests.withService { daemon, host in
            let attach: [String: Any] = ["act": "attach", "file": "picture.png", "size": 100]
            let shown = try await host.push(Self.payload(attach), to: Self.service)
            let file = try #require(shown.shown?.attachments.first?.file)
            // An author who keeps the object does not keep the file; one that was never answered with goes as well.
            for more in [["keepObject": true], ["forget": true]] {
                _ = try await host.push(Self.payload(attach.merging(more) { $1 }), to: Self.service)
            }
            try await daemon.clock.advance(by: .zero)
            #expect(try Self.stored(daemon).isEmpty)
            // The host has it still.
            var status = stat()
            #expect(fstat(file.descriptor.raw, &status) == 0 && status.st_size == 100)

            // The successor of a killed process deletes its files.
            let open = Task {
                try await host.push(
                    Self.payload(attach.merging(["hang": true]) { $1 }), to: Self.service)
            }
            try await daemon.event { $0.detail?.hasPrefix("notification.didReceive 4 by") == true }
            try await daemon.clock.advance(by: .zero)
            #expect(try Self.stored(daemon).count == 1)
            let dead = try await host.push(Self.payload(["act": "exit"]), to: Self.service)
            #expect(dead.reason == .ended(.exitedEarly))
            _ = try await open.value
            #expect(try Self.stored(daemon).count == 1)
            _ = try await host.push(Self.payload(), to: Self.service)
            #expect(try Self.stored(daemon).isEmpty)
        }
    }

    /// Pushes notifications that attach a file at the same time, and returns what is shown, by their identifiers.
    private static func pushAtOnce(
        _ names: [String], _ host: NotificationHost, _ more: [String: Any] = [:]
    ) async throws -> [String: NotificationHost.Presentation] {
        let act: [String: Any] = ["act": "attachAtOnce", "count": names.count]
        let payload = try Self.payload(act.merging(more) { $1 })
        return try await withThrowingTaskGroup { group in
            for name in names {
                group.addTask { (name, try await host.push(payload, to: service, id: name)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private static func text(of presentation: NotificationHost.Presentation?) throws -> String? {
        guard let attachment = presentation?.shown?.attachments.first else { return nil }
        let bytes = try readFile(attachment.file.descriptor.raw, expecting: 0, maximumSize: 4096)
        return "\(attachment.fileName) \(String(decoding: bytes, as: UTF8.self))"
    }

    // spec: NS-5
    @Test("NS-5: notifications that store files of one name at once each have their own")
    func filesOfOneNameAreKeptApart() async throws {
        try await NotificationServiceTests.withService { daemon, host in
            for round in 1...10 {
                let names = (1...4).map { "\(round)-\($0)" }
                let shown = try await Self.pushAtOnce(names, host)
                for name in names {
                    #expect(shown[name]?.shown?.subtitle == "moved")
                    #expect(try Self.text(of: shown[name]) == "picture.png \(name)")
                }
                #expect(Set(shown.values.map { $0.request?.processIdentifier }).count == 1)
            }
            try await daemon.clock.advance(by: .zero)
            #expect(try Self.stored(daemon).isEmpty)
        }
    }

    // spec: NS-5
    @Test("NS-5: of notifications that store one file at once, one has it, and the others get an error")
    func oneFileIsStoredOnce() async throws {
        try await NotificationServiceTests.withService { daemon, host in
            for round in 1...10 {
                let names = (1...4).map { "\(round)-\($0)" }
                let shown = try await Self.pushAtOnce(names, host, ["shared": true]).values
                let outcomes = shown.map { $0.shown?.subtitle ?? "" }
                #expect(outcomes.count { $0 == "moved" } == 1, "\(outcomes)")
                #expect(
                    outcomes.allSatisfy { ["moved", "UNErrorDomain 100", "UNErrorDomain 104"].contains($0) },
                    "\(outcomes)")
                #expect(try shown.compactMap { try Self.text(of: $0) } == ["picture.png shared"])
            }
            try await daemon.clock.advance(by: .zero)
            #expect(try Self.stored(daemon).isEmpty)
            // Attachments that failed take no room of the store.
            let full = try await host.push(Self.payload(["act": "fill"]), to: Self.service)
            #expect(full.shown?.subtitle == "4 then UNErrorDomain 104 then moved")
        }
    }

    // spec: NS-5
    @Test("NS-5: the store has an end, and a file of the bundle or a link is treated as such")
    func theStoreIsBounded() async throws {
        try await NotificationServiceTests.withService { _, host in
            let full = try await host.push(Self.payload(["act": "fill"]), to: Self.service)
            // Four films of 50 MB, and then no more until one has gone.
            #expect(full.shown?.subtitle == "4 then UNErrorDomain 104 then moved")
            let bundled = try await host.push(
                Self.payload(["act": "attachBundled"]), to: Self.service)
            #expect(bundled.shown?.subtitle == "still there" && bundled.shown?.attachments.count == 1)
            let link = try await host.push(Self.payload(["act": "attachLink"]), to: Self.service)
            #expect(link.shown?.subtitle == "UNErrorDomain 100")
        }
    }
}
