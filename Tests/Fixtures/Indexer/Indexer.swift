// Indexer: a Spotlight index extension that does what the file `acts` of its bundle says, or its `Info.plist`.

import CoreSpotlight
import ExtensionPointKit
import Glibc
import PointMessages

/// Each line of the file is an act with its words. What an act finds out becomes an item with the identifier `said-N`.
final class Indexer: CSIndexExtensionRequestHandler {
    private var kept: [@Sendable () -> Void] = []
    private var throttling: [String] = []

    override func searchableIndex(
        _ searchableIndex: CSSearchableIndex,
        reindexAllSearchableItemsWithAcknowledgementHandler acknowledgementHandler: @escaping @Sendable () -> Void
    ) {
        perform(searchableIndex, acknowledgementHandler)
    }

    override func searchableIndex(
        _ searchableIndex: CSSearchableIndex, reindexSearchableItemsWithIdentifiers identifiers: [String],
        acknowledgementHandler: @escaping () -> Void
    ) {
        searchableIndex.indexSearchableItems(
            identifiers.map {
                let item = Acts.item($0, title: "again \($0)")
                item.attributeSet.keywords = identifiers
                return item
            })
        acknowledgementHandler()
    }

    override func searchableIndexDidThrottle(_ searchableIndex: CSSearchableIndex) { throttling.append("throttled") }

    override func searchableIndexDidFinishThrottle(_ searchableIndex: CSSearchableIndex) {
        throttling.append("unthrottled")
        searchableIndex.indexSearchableItems([Acts.item("throttling", title: throttling.joined(separator: " "))])
    }

    override func data(
        for searchableIndex: CSSearchableIndex, itemIdentifier: String, typeIdentifier: String
    ) throws -> Data {
        guard typeIdentifier == "public.text" else { throw CocoaError(.fileReadUnknown) }
        return Data("data of \(itemIdentifier)".utf8)
    }

    override func fileURL(
        for searchableIndex: CSSearchableIndex, itemIdentifier: String, typeIdentifier: String, inPlace: Bool
    ) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(itemIdentifier).txt")
        try Data("file of \(itemIdentifier), in place \(inPlace)".utf8).write(to: url)
        return url
    }

    private func perform(_ index: CSSearchableIndex, _ acknowledge: @escaping @Sendable () -> Void) {
        let text = Bundle.main.url(forResource: "acts", withExtension: nil).flatMap { try? Data(contentsOf: $0) }
        let acts = text.map { String(decoding: $0, as: UTF8.self) }
        let wish = Bundle.main.object(forInfoDictionaryKey: "TestWish") as? String
        let lines = (acts ?? wish ?? "").split(separator: "\n").map(String.init)
        // The last act may keep the handler, or let go of it.
        switch lines.last {
        case "keep": kept.append(acknowledge)
        case "drop": break
        case "now": acknowledge()
        // The queue of the request is blocked, so further calls get no answer.
        case "block":
            kept.append(acknowledge)
            Task {
                await Acts(index).perform(lines.dropLast())
                await Acts(index).perform(["put blocked-\(Bundle.main.bundleIdentifier ?? "") Blocked"])
            }
            while true { sleep(1) }
        default:
            Task {
                await Acts(index).perform(lines)
                acknowledge()
            }
            return
        }
        Task { await Acts(index).perform(lines.dropLast()) }
    }
}

/// The acts of one run, in order.
private actor Acts {
    private let index: CSSearchableIndex
    private var named: [String: CSSearchableIndex] = [:]
    private var said = 0

    init(_ index: CSSearchableIndex) { self.index = index }

    static func item(_ identifier: String, title: String, domain: String? = nil) -> CSSearchableItem {
        let attributes = CSSearchableItemAttributeSet(itemContentType: "public.text")
        attributes.title = title
        return CSSearchableItem(uniqueIdentifier: identifier, domainIdentifier: domain, attributeSet: attributes)
    }

    func perform(_ lines: [String]) async {
        for line in lines {
            do { try await perform(line) } catch {
                let error = error as NSError
                await say("\(line): \(error.domain) \(error.code)")
            }
        }
    }

    private func say(_ text: String) async {
        said += 1
        try? await index.indexSearchableItems([Self.item("said-\(said)", title: text)])
    }

    private func index(_ name: String) -> CSSearchableIndex {
        if let index = named[name] { return index }
        let made = name == "default" ? index : CSSearchableIndex(name: name)
        named[name] = made
        return made
    }

    private func perform(_ line: String) async throws {
        let words = line.split(separator: " ").map(String.init)
        let rest = words.dropFirst(2).joined(separator: " ")
        switch words.first {
        // put ID TITLE
        case "put": try await index.indexSearchableItems([Self.item(words[1], title: rest)])
        // many FIRST COUNT
        case "many":
            let first = Int(words[1])!
            try await index.indexSearchableItems(
                (first..<first + Int(words[2])!).map {
                    Self.item("\($0)", title: "Item \($0)", domain: "many.\($0 % 2)")
                })
        // loose FIRST COUNT: calls without waiting
        case "loose":
            let first = Int(words[1])!
            for number in first..<first + Int(words[2])! {
                index.indexSearchableItems([Self.item("\(number)", title: "Item \(number)")], completionHandler: nil)
            }
        // random TITLE: an item without an identifier
        case "random":
            let item = Self.item("", title: words[1])
            let made = CSSearchableItem(
                uniqueIdentifier: nil, domainIdentifier: nil, attributeSet: item.attributeSet)
            try await index.indexSearchableItems([made])
        // update ID ATTRIBUTE VALUE
        case "update":
            let attributes = CSSearchableItemAttributeSet(itemContentType: "public.text")
            attributes.setValue(words[3], forCustomKey: CSCustomAttributeKey(keyName: words[2])!)
            let item = CSSearchableItem(
                uniqueIdentifier: words[1], domainIdentifier: nil, attributeSet: attributes)
            item.isUpdate = true
            try await index.indexSearchableItems([item])
        // expire ID SECONDS
        case "expire":
            let item = Self.item(words[1], title: "expires")
            item.expirationDate = Date(timeIntervalSinceNow: Double(words[2])!)
            try await index.indexSearchableItems([item])
        // picture ID BYTES
        case "picture":
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("picture")
            try Data(repeating: 7, count: Int(words[2])!).write(to: url)
            let item = Self.item(words[1], title: "picture")
            item.attributeSet.thumbnailURL = url
            defer { try? FileManager.default.removeItem(at: url) }
            try await index.indexSearchableItems([item])
        case "delete": try await index.deleteSearchableItems(withIdentifiers: Array(words.dropFirst()))
        case "deleteDomain": try await index.deleteSearchableItems(withDomainIdentifiers: Array(words.dropFirst()))
        case "deleteAll": try await index.deleteAllSearchableItems()
        // batch NAME STATE FIRST COUNT
        case "batch":
            let index = index(words[1])
            index.beginBatch()
            let first = Int(words[3])!
            try await index.indexSearchableItems(
                (first..<first + Int(words[4])!).map { Self.item("\($0)", title: "Item \($0)") })
            try await index.endBatch(withClientState: Data(words[2].utf8))
        // open NAME FIRST COUNT: a batch without an end
        case "open":
            let index = index(words[1])
            index.beginBatch()
            let first = Int(words[2])!
            try await index.indexSearchableItems(
                (first..<first + Int(words[3])!).map { Self.item("\($0)", title: "Item \($0)") })
        // refused NAME: a batch with an item whose thumbnail cannot be read
        case "refused":
            let index = index(words[1])
            index.beginBatch()
            try await index.indexSearchableItems([Self.item("good", title: "good")])
            let item = Self.item("bad", title: "bad")
            item.attributeSet.thumbnailURL = URL(fileURLWithPath: "/nowhere")
            try? await index.indexSearchableItems([item])
            try await index.endBatch(withClientState: Data("refused".utf8))
        // again NAME COUNT: batches without an end, each of one item, and one with an end
        case "again":
            let index = index(words[1])
            for number in 0...Int(words[2])! {
                index.beginBatch()
                try await index.indexSearchableItems([Self.item("\(number)", title: "again")])
            }
            try await index.endBatch(withClientState: Data("again".utf8))
        // released COUNT: indexes whose batches do not end
        case "released":
            for number in 0..<Int(words[1])! {
                let index = CSSearchableIndex(name: "released-\(number)")
                index.beginBatch()
                try await index.indexSearchableItems([Self.item("r\(number)", title: "released")])
            }
        // twice NAME: the end of a batch, which is repeated over another connection
        case "twice":
            let first = try await ServicePort.ofProcess().open(SpotlightService.name, handling: PointHandlers())
            let second = try await ServicePort.ofProcess().open(SpotlightService.name, handling: PointHandlers())
            let batch = try await first.call(BeginIndexBatch()).batch
            let end = EndIndexBatch(batch: batch, index: words[1], state: [1])
            do { _ = try await second.call(end) } catch { await say("early \((error as NSError).code)") }
            let item = SpotlightItem(identifier: "twice", attributes: PointValue(["title": "twice"]))
            _ = try await first.call(PutItems([item], batch: batch))
            _ = try await first.call(end)
            _ = try await second.call(end)
            first.close()
            second.close()
        case "state":
            let state = try await index(words[1]).fetchLastClientState()
            await say("state \(String(decoding: state, as: UTF8.self))")
        case "long": try await index(words[1]).endBatch(withClientState: Data(repeating: 1, count: 251))
        // resume NAME COUNT SIZE [DIES]: batches on from the state, and dies in the middle of a batch
        case "resume":
            let index = index(words[1])
            let state = try await index.fetchLastClientState()
            var done = Int(String(decoding: state, as: UTF8.self)) ?? 0
            let (count, size) = (Int(words[2])!, Int(words[3])!)
            let dies = words.count > 4 ? Int(words[4])! : count
            while done < count {
                index.beginBatch()
                let items = (done..<min(done + size, count)).map { Self.item("\($0)", title: "Item \($0)") }
                try await index.indexSearchableItems(Array(items[..<(size / 2)]))
                if done >= dies { kill(getpid(), SIGKILL) }
                try await index.indexSearchableItems(Array(items[(size / 2)...]))
                done += items.count
                try await index.endBatch(withClientState: Data("\(done)".utf8))
            }
        // query QUERY
        case "query":
            let query = CSSearchQuery(queryString: words.dropFirst().joined(separator: " "), attributes: ["title"])
            await say(await Self.result(of: query, cancels: false))
        case "cancel":
            let query = CSSearchQuery(queryString: words.dropFirst().joined(separator: " "), attributes: ["title"])
            await say(await Self.result(of: query, cancels: true))
        case "kill": kill(getpid(), SIGKILL)
        case "available": await say("available \(CSSearchableIndex.isIndexingAvailable())")
        default: await say("no act \(line)")
        }
    }

    private static func result(of query: CSSearchQuery, cancels: Bool) async -> String {
        let found = Found()
        return await withCheckedContinuation { continuation in
            query.foundItemsHandler = { items in
                found.add(items.map { $0.attributeSet.title ?? $0.uniqueIdentifier })
                if cancels { query.cancel() }
            }
            query.completionHandler = { error in
                let titles = found.titles.sorted().joined(separator: ", ")
                let error = error.map { $0 as NSError }
                continuation.resume(
                    returning: error.map { "\($0.domain) \($0.code)" }
                        ?? "\(query.foundItemCount) in \(found.batches > 0 ? "batches" : "none"): \(titles)")
            }
            query.start()
        }
    }

    private final class Found: @unchecked Sendable {  // the query calls on one queue
        var titles: [String] = []
        var batches = 0
        func add(_ titles: [String]) {
            self.titles += titles
            batches += 1
        }
    }
}

/// A principal class that is no handler of an index.
final class Stranger: NSObject, NSExtensionRequestHandling {
    func beginRequest(with context: NSExtensionContext) {}
}

@main struct Main { static func main() { NSExtensionMain() } }
