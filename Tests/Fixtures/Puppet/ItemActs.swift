// ItemActs: what the puppet does with the items of its request.

import ExtensionFoundation
import Foundation
import Locks

extension Puppet {
    static func types(of items: [NSExtensionItem]) -> [[String]] {
        items.flatMap { $0.attachments ?? [] }.map(\.registeredTypeIdentifiers)
    }

    /// Loads the first attachment in the form and answers with size and checksum.
    func digest(_ items: [NSExtensionItem], _ context: NSExtensionContext, as form: String) {
        guard let provider = items.first?.attachments?.first, let type = provider.registeredTypeIdentifiers.first else {
            return context.cancelRequest(withError: CocoaError(.fileNoSuchFile))
        }
        let began = ContinuousClock.now
        let loaded = Moment()
        @Sendable func finish(_ count: Int?, _ sum: String?, _ error: (any Error)?, _ more: [String: Any] = [:]) {
            guard let count, let sum else {
                return context.cancelRequest(withError: error ?? CocoaError(.fileReadUnknown))
            }
            let seconds = loaded.seconds
            context.completeRequest(
                returningItems: [
                    Self.item(
                        ["bytes": count, "sha256": sum, "peak": Self.peakMemory, "seconds": seconds].merging(more) {
                            $1
                        })
                ])
        }
        switch form {
        case "data":
            provider.loadDataRepresentation(forTypeIdentifier: type) { data, error in
                loaded.set(began.duration(to: .now))
                finish(data?.count, data?.withUnsafeBytes { Checksum.of($0) }, error)
            }
        case "file":
            provider.loadFileRepresentation(forTypeIdentifier: type) { url, error in
                loaded.set(began.duration(to: .now))
                finish(
                    url.flatMap(Checksum.size), url.map { Checksum.of(file: $0.path) }, error,
                    ["name": url?.lastPathComponent ?? ""])
            }
        case "place":
            provider.loadInPlaceFileRepresentation(forTypeIdentifier: type) { url, isInPlace, error in
                loaded.set(began.duration(to: .now))
                finish(
                    url.flatMap(Checksum.size), url.map { Checksum.of(file: $0.path) }, error,
                    ["isInPlace": isInPlace, "path": url?.path ?? ""])
            }
        case "url":
            provider.loadItem(forTypeIdentifier: type) { value, error in
                let url = value as? URL
                loaded.set(began.duration(to: .now))
                finish(
                    url.flatMap(Checksum.size), url.map { Checksum.of(file: $0.path) }, error, ["path": url?.path ?? ""]
                )
            }
        default:
            provider.loadItem(forTypeIdentifier: type) { value, error in
                let data = value as? Data
                finish(data?.count, data?.withUnsafeBytes { Checksum.of($0) }, error)
            }
        }
    }

    /// Loads every attachment at once and answers with the order in which their values came.
    func loadAll(_ items: [NSExtensionItem], _ context: NSExtensionContext) {
        let providers = items.flatMap { $0.attachments ?? [] }
        let seen = Mutex<[String]>([])
        let order = Order(seen)
        for provider in providers {
            provider.loadItem(forTypeIdentifier: "public.text") { value, error in
                let all = order.add(value as? String ?? "\((error as NSError?)?.code ?? 0)")
                if all.count == providers.count { context.completeRequest(returningItems: [Self.item(["order": all])]) }
            }
        }
    }

    /// Starts a load and cancels it as soon as the host is known to work on it.
    func cancelLoad(_ items: [NSExtensionItem], _ context: NSExtensionContext) {
        guard let provider = items.first?.attachments?.first else {
            return context.cancelRequest(withError: CocoaError(.fileNoSuchFile))
        }
        let progress = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { _, error in
            let error = error as NSError?
            context.completeRequest(returningItems: [
                Self.item(["code": error?.code ?? 0, "domain": error?.domain ?? ""])
            ])
        }
        Thread.detachNewThread {
            while progress.completedUnitCount == 0 { usleep(1000) }
            progress.cancel()
        }
    }

    /// Answers with what the progress of a load said on the way.
    func watchLoad(_ items: [NSExtensionItem], _ context: NSExtensionContext) {
        guard let provider = items.first?.attachments?.first else {
            return context.cancelRequest(withError: CocoaError(.fileNoSuchFile))
        }
        let seen = Mutex<[String]>([])
        let order = Order(seen)
        let progress = provider.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
            let code = (error as NSError?)?.code ?? 0
            context.completeRequest(
                returningItems: [Self.item(["bytes": data?.count ?? -1, "code": code, "seen": order.add("done")])])
        }
        Thread.detachNewThread {
            var last: Int64 = 0
            while !progress.isFinished {
                if progress.completedUnitCount != last, !progress.isFinished {
                    last = progress.completedUnitCount
                    _ = order.add("\(last) of \(progress.totalUnitCount)")
                    print("progress \(last)")
                }
                usleep(1000)
            }
        }
    }

    /// An item whose first attachment is made of the host's when it is asked for, and whose second is the host's with a
    /// type more.
    static func derived(from items: [NSExtensionItem]) -> NSExtensionItem {
        let given = items.first?.attachments ?? []
        let made = NSItemProvider()
        made.registerDataRepresentation(forTypeIdentifier: "public.data", visibility: .all) { completion in
            given.first?.loadDataRepresentation(forTypeIdentifier: "public.data") { data, error in
                completion(data.map { Data($0.reversed()) }, error)
            }
        }
        let changed = given.last ?? NSItemProvider()
        changed.registerItem(forTypeIdentifier: "public.plain-text") { answer, _, _ in answer?("added" as NSString, nil)
        }
        let item = NSExtensionItem()
        item.attachments = [made, changed]
        return item
    }

    /// Returns a file and removes it when the host has the answer.
    func leave(_ context: NSExtensionContext) {
        let file = URL(fileURLWithPath: NSTemporaryDirectory() + "puppet-\(UUID().uuidString).txt")
        try? Data("left behind".utf8).write(to: file)
        let item = Self.item(["path": file.path])
        item.attachments = NSItemProvider(contentsOf: file).map { [$0] }
        context.completeRequest(returningItems: [item]) { _ in
            try? FileManager.default.removeItem(at: file)
            print("removed")
        }
    }

    /// The item with attachments of this extension's own in place of the host's, each type made of what the host's
    /// gives.
    static func remade(_ item: NSExtensionItem) -> NSExtensionItem {
        guard let given = item.attachments, let copy = item.copy() as? NSExtensionItem else { return item }
        copy.attachments = given.map { original in
            let provider = NSItemProvider()
            provider.suggestedName = original.suggestedName
            for type in original.registeredTypeIdentifiers {
                provider.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
                    original.loadDataRepresentation(forTypeIdentifier: type, completionHandler: completion)
                }
            }
            return provider
        }
        return copy
    }

    /// An item of this extension's own, with so many bytes in each form.
    /// So many text files of its own, each with its number in it.
    static func files(_ count: Int) -> NSExtensionItem {
        let folder = URL(fileURLWithPath: NSTemporaryDirectory())
        let item = NSExtensionItem()
        item.attachments = (0..<count).compactMap { number in
            let file = folder.appendingPathComponent("file \(number).txt")
            try? Data("\(number)".utf8).write(to: file)
            return NSItemProvider(contentsOf: file)
        }
        return item
    }

    static func made(_ argument: String) -> NSExtensionItem {
        let count = Int(argument) ?? 10
        let bytes = Data(repeating: 0x61, count: count)
        let providers = [
            NSItemProvider(item: NSData(data: bytes), typeIdentifier: "public.data"),
            NSItemProvider(item: "some words" as NSString, typeIdentifier: "public.plain-text"),
            NSItemProvider(),
        ]
        providers[0].suggestedName = "../../escape"
        providers[1].suggestedName = "escape.bin"
        providers[2].suggestedName = "picture.png"
        providers[2].registerFileRepresentation(forTypeIdentifier: "public.png", visibility: .all) { completion in
            let file = URL(fileURLWithPath: NSTemporaryDirectory() + "puppet-\(UUID().uuidString)")
            try? bytes.write(to: file)
            completion(file, false, nil)
            try? FileManager.default.removeItem(at: file)
            return nil
        }
        let item = NSExtensionItem()
        item.attachments = providers
        return item
    }
}

/// How long the load alone took.
private final class Moment: Sendable {
    private let time = Mutex(Duration.zero)
    func set(_ value: Duration) { time.withLock { $0 = value } }
    var seconds: Double { time.withLock { $0 } / .seconds(1) }
}

private final class Order: Sendable {
    private let seen: Mutex<[String]>
    init(_ seen: consuming sending Mutex<[String]>) { self.seen = seen }
    func add(_ name: String) -> [String] {
        seen.withLock {
            $0.append(name)
            return $0
        }
    }
}

/// SHA-256 by coreutils: a debug build of one of our own would take minutes for a gigabyte.
enum Checksum {
    static func size(of url: URL) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? Int
    }

    static func of(file path: String) -> String { run("sha256sum < '\(path)'") { _ in } }

    static func of(_ bytes: UnsafeRawBufferPointer) -> String {
        run("sha256sum") { pipe in _ = fwrite(bytes.baseAddress, 1, bytes.count, pipe) }
    }

    private static func run(_ command: String, _ write: (UnsafeMutablePointer<FILE>) -> Void) -> String {
        let path = NSTemporaryDirectory() + "checksum-\(UUID().uuidString)"
        defer { unlink(path) }
        guard let pipe = popen("\(command) > '\(path)'", "w") else { return "" }
        write(pipe)
        pclose(pipe)
        return String((try? String(contentsOfFile: path, encoding: .utf8))?.prefix(64) ?? "")
    }
}
