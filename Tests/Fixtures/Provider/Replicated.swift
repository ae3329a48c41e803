// Replicated: a provider in memory whose files the host stores, and that does what `acts` says.

import BackgroundTransfers
import FileProvider

final class Replicated: NSObject, NSFileProviderReplicatedExtension, NSFileProviderThumbnailing, @unchecked Sendable {
    // Unchecked: only the queue of the request calls it.
    private var items: [String: Item] = [:]
    /// The identifiers of items that are gone, and the changed ones, in the order of the changes.
    private var history: [(identifier: String, isDeleted: Bool)] = []
    private let domain: NSFileProviderDomain
    private var next = 1
    private var session: URLSession?

    required init(domain: NSFileProviderDomain) {
        self.domain = domain
        super.init()
        let root = NSFileProviderItemIdentifier.rootContainer.rawValue
        items[root] = Item(root, in: root, "Files", .folder)
        for item in [
            Item("a", in: root, "a.txt", .plainText, "alpha"), Item("b", in: root, "b.txt", .plainText, "beta"),
            Item("dir", in: root, "Folder", .folder), Item("c", in: "dir", "c.txt", .plainText, "gamma"),
            Item("locked", in: root, "locked.txt", .plainText, "read me"), Item("log", in: root, "log.txt"),
        ] { items[item.identifier] = item }
        items["locked"]?.capabilities = .allowsReading
        Acts.shared.note("init \(domain.identifier.rawValue) \(domain.displayName)")
    }

    func invalidate() { Acts.shared.note("invalidate") }

    private func find(_ identifier: NSFileProviderItemIdentifier) throws -> Item {
        // A test asks for an item of this name to have something done.
        switch identifier.rawValue {
        case "do:change":
            items["a"]?.data = Data("alpha two".utf8)
            items["a"]?.version += 1
            history.append(("a", false))
        case "do:delete":
            items["b"] = nil
            history.append(("b", true))
        case "do:add":
            // Another machine makes a file.
            items["d"] = Item("d", in: "dir", "d.txt", .plainText, "delta")
            history.append(("d", false))
        case "do:release": Acts.shared.release()
        case "do:signal": signal(.workingSet)
        case "do:signal-folder": signal(.init("dir"))
        case "do:resolve":
            NSFileProviderManager(for: domain)?.signalErrorResolved(NSFileProviderError(.serverUnreachable)) { _ in }
        case "do:add-domain":
            NSFileProviderManager.add(NSFileProviderDomain(identifier: .init("work"), displayName: "Work")) { error in
                NSFileProviderManager.getDomainsWithCompletionHandler { domains, _ in
                    let names = domains.map(\.displayName).joined(separator: ",")
                    Acts.shared.note("domains \(names) \(error.map { "\($0)" } ?? "")")
                }
            }
        case "do:remove-domain":
            NSFileProviderManager.removeAllDomains { error in
                Acts.shared.note("removed \(error.map { "\($0)" } ?? "")")
            }
        case "do:visible":
            let manager = NSFileProviderManager(for: domain)
            Task {
                do {
                    _ = try await manager?.getUserVisibleURL(for: .init("a"))
                    Acts.shared.note("visible")
                } catch {
                    Acts.shared.note("visible \(error)")
                }
            }
        case "do:download": download(of: "a", 1)
        case "do:download-again": download(of: "a", 2)
        case "do:upload": upload(of: "b")
        case "do:evict":
            NSFileProviderManager(for: domain)?.evictItem(identifier: .init("a")) { error in
                Acts.shared.note("evicted \(error.map { "\(($0 as NSError).code)" } ?? "")")
            }
        default: break
        }
        guard let item = items[identifier.rawValue] else {
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)
        }
        return item
    }

    private func openSession() -> URLSession {
        let configuration = URLSessionConfiguration.background(withIdentifier: "files")
        configuration.sharedContainerIdentifier = "group.org.exthost.tests.files"
        let session = session ?? URLSession(configuration: configuration, delegate: nil, delegateQueue: nil)
        self.session = session
        return session
    }

    /// Downloads a file in the background for an item, and notes what the host says to it, before and after its begin.
    private func download(of item: String, _ number: Int) {
        guard let url = URL(string: "https://example.org/\(number)"), let manager = NSFileProviderManager(for: domain)
        else { return }
        let task = openSession().downloadTask(with: url)
        manager.register(task, forItemWithIdentifier: .init(item)) { error in
            Acts.shared.note("registered \(number) \(error.map { "\($0)" } ?? "")")
            task.resume()
            manager.register(task, forItemWithIdentifier: .init(item)) { error in
                Acts.shared.note("registered again \(number) \(error.map { "\($0)" } ?? "")")
            }
        }
    }

    /// Begins an upload for an item, which stays suspended.
    private func upload(of item: String) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload")
        guard let url = URL(string: "https://example.org/upload"), (try? Data("up".utf8).write(to: file)) != nil,
            let manager = NSFileProviderManager(for: domain)
        else { return }
        let task = openSession().uploadTask(with: URLRequest(url: url), fromFile: file)
        manager.register(task, forItemWithIdentifier: .init(item)) { error in
            Acts.shared.note("upload registered \(error.map { "\($0)" } ?? "")")
        }
    }

    private func signal(_ container: NSFileProviderItemIdentifier) {
        NSFileProviderManager(for: domain)?.signalEnumerator(for: container) { error in
            Acts.shared.note("signalled \(error.map { "\($0)" } ?? "")")
        }
    }

    func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest
    ) throws -> any NSFileProviderEnumerator {
        Acts.shared.note("enumerator \(containerItemIdentifier.rawValue)")
        if let error = Acts.shared.failure("enumerator") { throw error }
        return Enumerator(
            containerItemIdentifier,
            items: { [self] in
                let container = containerItemIdentifier.rawValue
                let all = items.values.filter { $0.identifier != $0.parent }
                return containerItemIdentifier == .workingSet
                    ? all.filter { $0.identifier != "b" } : all.filter { $0.parent == container }
            }, changes: { [self] in history.map { ($0.identifier, $0.isDeleted ? nil : items[$0.identifier]) } })
    }

    func item(
        for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        let found = Result { try find(identifier) }
        let progress = Progress(totalUnitCount: 1)
        progress.cancellationHandler = { Acts.shared.note("cancelled item") }
        Acts.shared.answer("item", identifier.rawValue) { error in
            if let error { return completionHandler(nil, error) }
            switch found {
            case .success(let item): completionHandler(item, nil)
            case .failure(let error): completionHandler(nil, error)
            }
        }
        return progress
    }

    func fetchContents(
        for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
        request: NSFileProviderRequest,
        completionHandler: @escaping @Sendable (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
    ) -> Progress {
        guard let item = items[itemIdentifier.rawValue] else {
            completionHandler(nil, nil, NSFileProviderError(.noSuchItem))
            return Progress(totalUnitCount: 0)
        }
        let progress = Progress(totalUnitCount: 1)
        progress.cancellationHandler = { Acts.shared.note("cancelled fetchContents") }
        Acts.shared.answer("fetchContents", itemIdentifier.rawValue) { error in
            if let error { return completionHandler(nil, nil, error) }
            let data = item.identifier == "log" ? Data(Acts.shared.log.utf8) : item.data
            let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            do {
                if Acts.shared.words("folder fetchContents") != nil {
                    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
                } else {
                    try data.write(to: url)
                }
                completionHandler(url, item, nil)
                if FileManager.default.fileExists(atPath: url.path), Acts.shared.words("folder fetchContents") == nil {
                    Acts.shared.note("the fetched file is still here")
                }
            } catch {
                completionHandler(nil, nil, error)
            }
        }
        return progress
    }

    private func apply(_ new: any NSFileProviderItem, _ fields: NSFileProviderItemFields, _ url: URL?, to item: Item) {
        if fields.contains(.filename) { item.filename = new.filename }
        if fields.contains(.parentItemIdentifier) { item.parent = new.parentItemIdentifier.rawValue }
        if fields.contains(.contents), let url {
            item.data = (try? Data(contentsOf: url)) ?? Data()
            item.version += 1
        }
        if fields.contains(.contentModificationDate) { item.modified = new.contentModificationDate }
        // A server may count the time among what makes a version of the contents.
        if fields == .contentModificationDate, Acts.shared.words("versions") != nil { item.version += 1 }
        if fields.contains(.lastUsedDate) { item.lastUsed = new.lastUsedDate }
        if fields.contains(.tagData) { item.tags = new.tagData }
        if fields.contains(.favoriteRank) { item.rank = new.favoriteRank?.intValue }
        if fields.contains(.fileSystemFlags) { item.flags = new.fileSystemFlags }
        if fields.contains(.extendedAttributes) { item.attributes = new.extendedAttributes }
    }

    func createItem(
        basedOn itemTemplate: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
        options: NSFileProviderCreateItemOptions, request: NSFileProviderRequest,
        completionHandler:
            @escaping @Sendable (
                (any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?
            ) -> Void
    ) -> Progress {
        let isTaken = items.values.contains {
            $0.parent == itemTemplate.parentItemIdentifier.rawValue && $0.filename == itemTemplate.filename
        }
        if isTaken, !options.contains(.mayAlreadyExist) {
            Acts.shared.note("createItem collides")
            completionHandler(nil, [], false, NSFileProviderError(.filenameCollision))
            return Progress(totalUnitCount: 0)
        }
        let item = Item(
            "new\(next)", in: itemTemplate.parentItemIdentifier.rawValue, itemTemplate.filename,
            itemTemplate.contentType)
        next += 1
        item.link = itemTemplate.symlinkTargetPath
        apply(itemTemplate, fields, url, to: item)
        let mayExist = options.contains(.mayAlreadyExist)
        Acts.shared.answer("createItem", "\(item.filename)\(mayExist ? " again" : "")") { [self] error in
            if let error { return completionHandler(nil, [], false, error) }
            items[item.identifier] = item
            completionHandler(item, [], false, nil)
        }
        return Progress(totalUnitCount: 1)
    }

    func modifyItem(
        _ item: any NSFileProviderItem, baseVersion version: NSFileProviderItemVersion,
        changedFields: NSFileProviderItemFields, contents newContents: URL?,
        options: NSFileProviderModifyItemOptions, request: NSFileProviderRequest,
        completionHandler:
            @escaping @Sendable (
                (any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?
            ) -> Void
    ) -> Progress {
        guard let stored = items[item.itemIdentifier.rawValue] else {
            completionHandler(nil, [], false, NSFileProviderError(.noSuchItem))
            return Progress(totalUnitCount: 0)
        }
        // One part at a time, the lowest number first, if the test wants so.
        let one = NSFileProviderItemFields(rawValue: changedFields.rawValue & (~changedFields.rawValue + 1))
        let fields = Acts.shared.words("remaining") != nil ? one : changedFields
        // Another machine has changed the file just before.
        if Acts.shared.words("conflict") != nil { (stored.data, stored.version) = (Data("server".utf8), 7) }
        let isConflict =
            changedFields.contains(.contents) && version.contentVersion != stored.itemVersion.contentVersion
        let base = String(decoding: version.contentVersion, as: UTF8.self)
        nonisolated(unsafe) let new = item
        Acts.shared.answer("modifyItem", "\(stored.identifier) \(fields.rawValue) base \(base)") { [self] error in
            if let error { return completionHandler(nil, [], false, error) }
            // The server's contents win over a change of others.
            if isConflict { return completionHandler(stored, [], true, nil) }
            apply(new, fields, newContents, to: stored)
            if Acts.shared.words("renumber") != nil {
                items[stored.identifier] = nil
                stored.identifier = "renumbered"
                items[stored.identifier] = stored
            }
            if Acts.shared.words("rejects") != nil { items[stored.identifier] = nil }
            completionHandler(
                Acts.shared.words("rejects") != nil ? nil : stored, changedFields.subtracting(fields), false, nil)
        }
        return Progress(totalUnitCount: 1)
    }

    func deleteItem(
        identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
        options: NSFileProviderDeleteItemOptions, request: NSFileProviderRequest,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress {
        Acts.shared.answer("deleteItem", identifier.rawValue) { [self] error in
            if error == nil { items[identifier.rawValue] = nil }
            completionHandler(error)
        }
        return Progress(totalUnitCount: 1)
    }

    func importDidFinish(completionHandler: @escaping @Sendable () -> Void) {
        Acts.shared.note("importDidFinish")
        completionHandler()
    }

    func materializedItemsDidChange(completionHandler: @escaping @Sendable () -> Void) {
        Acts.shared.note("materializedItemsDidChange")
        completionHandler()
    }

    func fetchThumbnails(
        for itemIdentifiers: [NSFileProviderItemIdentifier], requestedSize size: CGSize,
        perThumbnailCompletionHandler:
            @escaping @Sendable (
                NSFileProviderItemIdentifier, Data?, (any Error)?
            ) -> Void,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> Progress {
        let progress = Progress(totalUnitCount: Int64(itemIdentifiers.count))
        progress.cancellationHandler = { Acts.shared.note("cancelled fetchThumbnails") }
        Acts.shared.answer("fetchThumbnails", "") { error in
            for identifier in itemIdentifiers where identifier.rawValue != "b" {
                perThumbnailCompletionHandler(identifier, Data("\(identifier.rawValue) \(size.width)".utf8), nil)
            }
            if Acts.shared.words("again") != nil { perThumbnailCompletionHandler(.init("a"), nil, nil) }
            completionHandler(error)
        }
        return progress
    }
}

/// The items of a container, in pages of as many as the act `pages` says.
final class Enumerator: NSObject, NSFileProviderEnumerator {
    private let container: NSFileProviderItemIdentifier
    private let items: () -> [Item]
    private let changes: () -> [(String, Item?)]
    private let acts = Acts.shared

    init(
        _ container: NSFileProviderItemIdentifier, items: @escaping () -> [Item],
        changes: @escaping () -> [(String, Item?)] = { [] }
    ) {
        (self.container, self.items, self.changes) = (container, items, changes)
    }

    func invalidate() { acts.note("invalidate \(container.rawValue)") }

    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage) {
        let isFirst =
            page.rawValue == NSFileProviderPage.initialPageSortedByName
            || page.rawValue == NSFileProviderPage.initialPageSortedByDate
        acts.note(
            "enumerateItems \(container.rawValue)\(isFirst ? "" : " \(String(decoding: page.rawValue, as: UTF8.self))")"
        )
        if acts.takes("expire") { return observer.finishEnumeratingWithError(NSFileProviderError(.pageExpired)) }
        if let error = acts.failure("enumerateItems") { return observer.finishEnumeratingWithError(error) }
        if acts.words("drop enumerateItems") != nil { return }
        var all = items().sorted { $0.filename < $1.filename }
        if acts.words("hostile") != nil, container == .rootContainer {
            let root = container.rawValue
            all += [
                Item("slash", in: root, "a/b"), Item("dots", in: root, ".."), Item("nothing", in: root, ""),
                Item("zero", in: root, "a\0b"), Item("", in: root, "nameless"),
                Item("long", in: root, String(repeating: "x", count: 256)), Item("twin", in: root, "a.txt"),
                Item("astray", in: "dir", "astray.txt"), Item("circle", in: "circle", "circle", .folder),
                Item(root, in: root, "a/b"), tagged(root),
            ]
        }
        let first = isFirst ? 0 : Int(String(decoding: page.rawValue, as: UTF8.self)) ?? 0
        let count = acts.words("pages")?.first.flatMap { Int($0) } ?? all.count
        let piece = all[min(first, all.count)..<min(first + count, all.count)]
        // In any number of steps.
        for item in piece { observer.didEnumerate([item]) }
        let end = first + count
        if acts.words("circle") != nil { return observer.finishEnumerating(upTo: page) }
        if acts.words("slow enumerateItems")?.first == container.rawValue {
            return acts.hold { observer.finishEnumerating(upTo: nil) }
        }
        observer.finishEnumerating(upTo: end < all.count ? NSFileProviderPage(Data("\(end)".utf8)) : nil)
        if acts.words("finish twice") != nil { observer.finishEnumerating(upTo: nil) }
    }

    /// An item with more tags than anybody has.
    private func tagged(_ root: String) -> Item {
        let item = Item("tagged", in: root, "tagged.txt")
        item.tags = Data(count: 1 << 20)
        return item
    }

    func enumerateChanges(
        for observer: any NSFileProviderChangeObserver, from anchor: NSFileProviderSyncAnchor
    ) {
        let since = Int(String(decoding: anchor.rawValue, as: UTF8.self)) ?? 0
        acts.note("enumerateChanges \(container.rawValue) \(since)")
        if acts.takes("expire changes") {
            return observer.finishEnumeratingWithError(NSFileProviderError(.syncAnchorExpired))
        }
        let all = changes()
        guard since < all.count else {
            return observer.finishEnumeratingChanges(upTo: anchor, moreComing: false)
        }
        // One change at a time.
        let (identifier, item) = all[since]
        let next = (NSFileProviderSyncAnchor(Data("\(since + 1)".utf8)), isMore: since + 1 < all.count)
        acts.answer("tellChanges", identifier) { _ in
            if let item {
                observer.didUpdate([item])
            } else {
                observer.didDeleteItems(withIdentifiers: [.init(identifier)])
            }
            observer.finishEnumeratingChanges(upTo: next.0, moreComing: next.isMore)
        }
    }

    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        guard acts.words("anchors") != nil else { return completionHandler(nil) }
        completionHandler(NSFileProviderSyncAnchor(Data("\(changes().count)".utf8)))
    }
}

@main struct Main { static func main() { NSExtensionMain() } }
