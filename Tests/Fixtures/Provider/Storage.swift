// Storage: a provider with a document storage that does what `acts` says. Its calls are in `log.txt` of the storage.

import FileProvider

final class Storage: NSFileProviderExtension {
    private static let files = ["a.txt": "alpha", "slow.txt": "slow", "Folder/c.txt": "gamma"]
    private var items: [String: Item] = [:]

    override init() {
        super.init()
        let root = NSFileProviderItemIdentifier.rootContainer.rawValue
        for (path, text) in Self.files {
            let parts = path.split(separator: "/").map(String.init)
            items[path] = Item(path, in: parts.count > 1 ? parts[0] : root, parts[parts.count - 1], .plainText, text)
        }
        items["Folder"] = Item("Folder", in: root, "Folder", .folder)
    }

    private func note(_ line: String) {
        Acts.shared.note(line)
        try? Data(Acts.shared.log.utf8).write(to: documentStorageURL.appendingPathComponent("log.txt"))
    }

    private func path(_ url: URL) -> String { persistentIdentifierForItem(at: url)?.rawValue ?? "?" }

    override func item(for identifier: NSFileProviderItemIdentifier) throws -> any NSFileProviderItem {
        guard let item = items[identifier.rawValue] else {
            throw NSError.fileProviderErrorForNonExistentItem(withIdentifier: identifier)
        }
        return item
    }

    override func urlForItem(withPersistentIdentifier identifier: NSFileProviderItemIdentifier) -> URL? {
        if Acts.shared.words("outside") != nil { return URL(fileURLWithPath: "/etc/passwd") }
        return super.urlForItem(withPersistentIdentifier: identifier)
    }

    override func enumerator(
        for containerItemIdentifier: NSFileProviderItemIdentifier
    ) throws -> any NSFileProviderEnumerator {
        Enumerator(
            containerItemIdentifier,
            items: { [self] in
                items.values.filter { $0.parent == containerItemIdentifier.rawValue }
            })
    }

    override func providePlaceholder(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let item = items[path(url)]
        Acts.shared.answer("providePlaceholder", path(url)) { error in
            guard error == nil, let item else { return completionHandler(error ?? NSFileProviderError(.noSuchItem)) }
            do {
                try NSFileProviderManager.writePlaceholder(
                    at: NSFileProviderExtension.placeholderURL(for: url), withMetadata: item)
                completionHandler(nil)
            } catch {
                completionHandler(error)
            }
        }
        note("")
    }

    override func startProvidingItem(at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        let data = items[path(url)]?.data
        let isLink = Acts.shared.words("link") != nil
        Acts.shared.answer("startProvidingItem", path(url)) { error in
            guard error == nil, let data else { return completionHandler(error ?? NSFileProviderError(.noSuchItem)) }
            do {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                if isLink {
                    try FileManager.default.createSymbolicLink(
                        at: url, withDestinationURL: URL(fileURLWithPath: "/etc/passwd"))
                } else {
                    try data.write(to: url)
                }
                completionHandler(nil)
            } catch {
                completionHandler(error)
            }
        }
        note("")
    }

    override func stopProvidingItem(at url: URL) {
        items[path(url)]?.data = (try? Data(contentsOf: url)) ?? Data()
        try? FileManager.default.removeItem(at: url)
        note("stopProvidingItem \(path(url))")
    }

    override func itemChanged(at url: URL) {
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? "?"
        note("itemChanged \(path(url)) \(text)")
    }

    // MARK: Actions

    private func add(_ item: Item, _ action: String) -> Item {
        items[item.identifier] = item
        note("\(action) \(item.identifier)")
        return item
    }

    override func importDocument(
        at fileURL: URL, toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        let name = fileURL.lastPathComponent
        let path = parentItemIdentifier == .rootContainer ? name : "\(parentItemIdentifier.rawValue)/\(name)"
        let item = Item(path, in: parentItemIdentifier.rawValue, name)
        item.data = (try? Data(contentsOf: fileURL)) ?? Data()
        completionHandler(add(item, "importDocument"), nil)
    }

    override func createDirectory(
        withName directoryName: String, inParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        let path =
            parentItemIdentifier == .rootContainer
            ? directoryName : "\(parentItemIdentifier.rawValue)/\(directoryName)"
        completionHandler(
            add(Item(path, in: parentItemIdentifier.rawValue, directoryName, .folder), "createDirectory"), nil)
    }

    override func renameItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier, toName itemName: String,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        guard let item = items[itemIdentifier.rawValue] else {
            return completionHandler(nil, NSFileProviderError(.noSuchItem))
        }
        item.filename = itemName
        completionHandler(add(item, "renameItem"), nil)
    }

    override func reparentItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemWithIdentifier parentItemIdentifier: NSFileProviderItemIdentifier, newName: String?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        guard let item = items[itemIdentifier.rawValue] else {
            return completionHandler(nil, NSFileProviderError(.noSuchItem))
        }
        (item.parent, item.filename) = (parentItemIdentifier.rawValue, newName ?? item.filename)
        completionHandler(add(item, "reparentItem"), nil)
    }

    override func trashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        guard let item = items[itemIdentifier.rawValue] else {
            return completionHandler(nil, NSFileProviderError(.noSuchItem))
        }
        item.parent = NSFileProviderItemIdentifier.trashContainer.rawValue
        completionHandler(add(item, "trashItem"), nil)
    }

    override func untrashItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        toParentItemIdentifier parentItemIdentifier: NSFileProviderItemIdentifier?,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        guard let item = items[itemIdentifier.rawValue] else {
            return completionHandler(nil, NSFileProviderError(.noSuchItem))
        }
        item.parent = (parentItemIdentifier ?? .rootContainer).rawValue
        completionHandler(add(item, "untrashItem"), nil)
    }

    override func deleteItem(
        withIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        items[itemIdentifier.rawValue] = nil
        note("deleteItem \(itemIdentifier.rawValue)")
        completionHandler(nil)
    }

    override func setTagData(
        _ tagData: Data?, forItemIdentifier itemIdentifier: NSFileProviderItemIdentifier,
        completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
    ) {
        guard let item = items[itemIdentifier.rawValue] else {
            return completionHandler(nil, NSFileProviderError(.noSuchItem))
        }
        item.tags = tagData
        completionHandler(add(item, "setTagData"), nil)
    }
}
