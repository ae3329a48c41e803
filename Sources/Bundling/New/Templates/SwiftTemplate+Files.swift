// SwiftTemplate+Files: the templates for files.

extension SwiftTemplate {
    /// A document picker.
    var picker: Parts {
        var parts = Parts(
            "a document picker with one document",
            className: "DocumentPickerViewController", modules: ["DocumentPickerService", "UIKit"],
            run: "exthostctl run . --mode import --tap Welcome.txt")
        parts.source = """
            // DocumentPickerViewController: offers a document, and takes copies of the host's.

            import Foundation
            import UIKit

            final class DocumentPickerViewController: UIDocumentPickerExtensionViewController {
                /// The folder of the documents: with a file provider, it is documentStorageURL.
                private var folder: URL { documentStorageURL ?? FileManager.default.temporaryDirectory }

                override func prepareForPresentation(in mode: UIDocumentPickerMode) {
                    switch mode {
                    case .import, .open:
                        let document = folder.appendingPathComponent("Welcome.txt")
                        try? Data("Welcome\\n".utf8).write(to: document)
                        add("Welcome.txt") { [weak self] in self?.dismissGrantingAccess(to: document) }
                    case .exportToService, .moveToService:
                        add("Save") { [weak self] in self?.save() }
                    }
                    add("Cancel") { [weak self] in self?.dismissGrantingAccess(to: nil) }
                }

                private func add(_ title: String, _ action: @escaping () -> Void) {
                    let button = UIButton(type: .system)
                    button.setTitle(title, for: .normal)
                    button.addAction(UIAction { _ in action() }, for: .touchUpInside)
                    view.addSubview(button)
                }

                private func save() {
                    guard let originalURL else { return dismissGrantingAccess(to: nil) }
                    let copy = folder.appendingPathComponent(originalURL.lastPathComponent)
                    do {
                        try FileManager.default.copyItem(at: originalURL, to: copy)
                        dismissGrantingAccess(to: copy)
                    } catch {
                        extensionContext?.cancelRequest(withError: error)
                    }
                }
            }

            """
        parts.test = "aDocumentIsPicked"
        parts.session = """
                        let pickers = DocumentPickerHost(
                            host.application, groupContainers: daemon.groupContainers)
                        let session = try await pickers.begin(
                            "\(project.extensionIdentifier)", .import(["public.plain-text"]))
                        _ = await session.request.view { $0["Welcome.txt"] != nil }
                        try await session.use(.tap("Welcome.txt"))
                        guard case .imported(let document)? = try await session.document() else {
                            Issue.record("no document was picked")
                            return
                        }
                        #expect(try String(contentsOf: document.url, encoding: .utf8) == "Welcome\\n")
            """
        return parts
    }

    /// The actions of a file provider.
    var actions: Parts {
        var parts = Parts(
            "an action of a file provider with a view",
            className: "DocumentActionViewController", modules: ["ExtensionFoundation", "FileProviderUI", "UIKit"],
            run: "exthostctl run . --action \(project.extensionIdentifier).describe --tap Done")
        parts.source = """
            // DocumentActionViewController: describes the selected items of a file provider.

            import FileProviderUI
            import Foundation
            import UIKit

            final class DocumentActionViewController: FPUIActionExtensionViewController {
                private let label = UILabel()

                override func viewDidLoad() {
                    super.viewDidLoad()
                    view.addSubview(label)
                    add("Done") { [weak self] in self?.extensionContext.completeRequest() }
                    add("Cancel") { [weak self] in
                        self?.extensionContext.cancelRequest(
                            withError: NSError(
                                domain: FPUIErrorDomain, code: Int(FPUIExtensionErrorCode.userCancelled.rawValue)))
                    }
                }

                private func add(_ title: String, _ action: @escaping () -> Void) {
                    let button = UIButton(type: .system)
                    button.setTitle(title, for: .normal)
                    button.addAction(UIAction { _ in action() }, for: .touchUpInside)
                    view.addSubview(button)
                }

                override func prepare(forAction actionIdentifier: String, itemIdentifiers: [NSFileProviderItemIdentifier]) {
                    label.text = "\\(itemIdentifiers.count) items"
                }

                override func prepare(forError error: any Error) {
                    label.text = error.localizedDescription
                }
            }

            """
        parts.test = "anActionIsPerformed"
        parts.session = """
                        let files = FileActionsHost(host.application)
                        let items = [FileActionsHost.Item("1", ["filename": "notes.txt"])]
                        #expect(try await files.actions(for: items).map(\\.name) == ["Describe"])
                        let session = try await files.perform(
                            "\(project.extensionIdentifier).describe", of: "\(project.extensionIdentifier)", on: items)
                        _ = await session.request.view { $0["Done"] != nil }
                        try await session.use(.tap("Done"))
                        guard case .completed = await session.ending else {
                            Issue.record("the action is not completed")
                            return
                        }
            """
        return parts
    }

    /// A file provider of the replicated form.
    var provider: Parts {
        var parts = Parts(
            "a file provider with one file",
            className: "FileProviderExtension", modules: ["ExtensionFoundation", "FileProvider"],
            run: "exthostctl run . --cat /Welcome.txt")
        parts.source = """
            // FileProviderExtension: a file provider whose server is a list in memory.

            import FileProvider
            import Foundation
            import UniformTypeIdentifiers

            final class FileProviderExtension: NSObject, NSFileProviderReplicatedExtension {
                private let server = Server()

                required init(domain: NSFileProviderDomain) {}

                func invalidate() {}

                func enumerator(
                    for containerItemIdentifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest
                ) throws -> any NSFileProviderEnumerator {
                    Enumerator(items: containerItemIdentifier == .rootContainer ? server.items : [])
                }

                func item(
                    for identifier: NSFileProviderItemIdentifier, request: NSFileProviderRequest,
                    completionHandler: @escaping @Sendable ((any NSFileProviderItem)?, (any Error)?) -> Void
                ) -> Progress {
                    let item = server.item(identifier)
                    completionHandler(item, item == nil ? NSFileProviderError(.noSuchItem) : nil)
                    return Progress(totalUnitCount: 1)
                }

                func fetchContents(
                    for itemIdentifier: NSFileProviderItemIdentifier, version requestedVersion: NSFileProviderItemVersion?,
                    request: NSFileProviderRequest,
                    completionHandler: @escaping @Sendable (URL?, (any NSFileProviderItem)?, (any Error)?) -> Void
                ) -> Progress {
                    do {
                        guard let item = server.item(itemIdentifier) else { throw NSFileProviderError(.noSuchItem) }
                        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                        try item.data.write(to: url)
                        completionHandler(url, item, nil)
                    } catch {
                        completionHandler(nil, nil, error)
                    }
                    return Progress(totalUnitCount: 1)
                }

                func createItem(
                    basedOn itemTemplate: any NSFileProviderItem, fields: NSFileProviderItemFields, contents url: URL?,
                    options: NSFileProviderCreateItemOptions, request: NSFileProviderRequest,
                    completionHandler:
                        @escaping @Sendable (
                            (any NSFileProviderItem)?, NSFileProviderItemFields, Bool, (any Error)?
                        ) -> Void
                ) -> Progress {
                    let item = Item(
                        NSFileProviderItemIdentifier(UUID().uuidString), itemTemplate.filename,
                        url.flatMap { try? Data(contentsOf: $0) } ?? Data())
                    server.store(item)
                    completionHandler(item, [], false, nil)
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
                    guard let old = server.item(item.itemIdentifier) else {
                        completionHandler(nil, [], false, NSFileProviderError(.noSuchItem))
                        return Progress(totalUnitCount: 1)
                    }
                    let data = newContents.flatMap { try? Data(contentsOf: $0) } ?? old.data
                    let new = Item(item.itemIdentifier, item.filename, data)
                    server.store(new)
                    completionHandler(new, [], false, nil)
                    return Progress(totalUnitCount: 1)
                }

                func deleteItem(
                    identifier: NSFileProviderItemIdentifier, baseVersion version: NSFileProviderItemVersion,
                    options: NSFileProviderDeleteItemOptions, request: NSFileProviderRequest,
                    completionHandler: @escaping @Sendable ((any Error)?) -> Void
                ) -> Progress {
                    server.remove(identifier)
                    completionHandler(nil)
                    return Progress(totalUnitCount: 1)
                }
            }

            /// The items of the top folder. All fit into one page.
            final class Enumerator: NSObject, NSFileProviderEnumerator {
                private let items: [Item]

                init(items: [Item]) { self.items = items }

                func invalidate() {}

                func enumerateItems(
                    for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage
                ) {
                    observer.didEnumerate(items)
                    observer.finishEnumerating(upTo: nil)
                }
            }

            /// A list of items. Replace it by calls of your server.
            final class Server: @unchecked Sendable {
                private let lock = NSLock()
                private var stored = ["1": Item(NSFileProviderItemIdentifier("1"), "Welcome.txt", Data("Welcome\\n".utf8))]

                var items: [Item] { lock.withLock { Array(stored.values) } }

                func item(_ identifier: NSFileProviderItemIdentifier) -> Item? {
                    lock.withLock { stored[identifier.rawValue] }
                }

                func store(_ item: Item) { lock.withLock { stored[item.itemIdentifier.rawValue] = item } }

                func remove(_ identifier: NSFileProviderItemIdentifier) {
                    lock.withLock { stored[identifier.rawValue] = nil }
                }
            }

            final class Item: NSObject, NSFileProviderItem, Sendable {
                let itemIdentifier: NSFileProviderItemIdentifier
                let filename: String
                let data: Data
                let contentType = UTType.plainText
                let capabilities: NSFileProviderItemCapabilities = [.allowsAll]

                init(_ identifier: NSFileProviderItemIdentifier, _ filename: String, _ data: Data) {
                    (itemIdentifier, self.filename, self.data) = (identifier, filename, data)
                }

                var parentItemIdentifier: NSFileProviderItemIdentifier { .rootContainer }
                var documentSize: NSNumber? { NSNumber(value: data.count) }
                var itemVersion: NSFileProviderItemVersion {
                    NSFileProviderItemVersion(contentVersion: data.prefix(128), metadataVersion: Data(filename.utf8))
                }
            }

            """
        parts.test = "aFileIsReadAndWritten"
        parts.session = """
                        let provider = try FileProviderHost(
                            host.application, store: nil, groupContainers: daemon.groupContainers)
                        let files = try await provider.files(of: "\(project.extensionIdentifier)")
                        let file = try await files.item(named: "Welcome.txt", in: files.root)
                        #expect(file.size == 8)
                        try await files.write(file.identifier) { descriptor in
                            try FileHandle(fileDescriptor: descriptor).write(contentsOf: Data("Changed\\n".utf8))
                        }
                        let text = try await files.read(file.identifier) { descriptor in
                            try FileHandle(fileDescriptor: descriptor).readToEnd()
                        }
                        #expect(text == Data("Changed\\n".utf8))
                        await provider.close()
            """
        return parts
    }
}
