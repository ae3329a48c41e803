// SwiftTemplate+Sources: the source of the extension, for each kind of extension point.

import ExtensionPoints

extension SwiftTemplate {
    /// The source of the extension.
    var source: String {
        switch kind {
        case .sheet: sheet
        case .view: view
        case .handler: handler
        case .page: page
        case .widget: widget
        case .service: service
        case .keyboard: keyboard
        case .editor: editor
        case .blocker: blocker
        case .links: links
        case .index: index
        case .picker: picker
        case .actions: actions
        case .provider: provider
        case .effect: effect
        case .effectView: effectView
        case .tunnel: tunnel
        }
    }

    private var blocker: String {
        """
        // ContentBlockerRequestHandler: gives the list of the bundle to the browser.

        import SafariServices

        final class ContentBlockerRequestHandler: NSObject, NSExtensionRequestHandling {
            func beginRequest(with context: NSExtensionContext) {
                let attachment = NSItemProvider(
                    contentsOf: Bundle.main.url(forResource: "blockerList", withExtension: "json"))!

                let item = NSExtensionItem()
                item.attachments = [attachment]

                context.completeRequest(returningItems: [item], completionHandler: nil)
            }
        }

        """
    }

    private var page: String {
        """
        // RequestHandler: counts the words of a web page, whose text the script Action.js passes.

        import ExtensionFoundation
        import Foundation
        import UniformTypeIdentifiers

        final class RequestHandler: NSObject, NSExtensionRequestHandling {
            func beginRequest(with context: NSExtensionContext) {
                let type = UTType.propertyList.identifier
                let items = context.inputItems.compactMap { $0 as? NSExtensionItem }
                let provider = items.flatMap { $0.attachments ?? [] }
                    .first { $0.hasItemConformingToTypeIdentifier(type) }
                guard let provider else { return context.cancelRequest(withError: CocoaError(.featureUnsupported)) }
                provider.loadItem(forTypeIdentifier: type, options: nil) { value, error in
                    let results = (value as? [String: Any])?[NSExtensionJavaScriptPreprocessingResultsKey]
                    guard let text = (results as? [String: Any])?["text"] as? String else {
                        return context.cancelRequest(withError: error ?? CocoaError(.featureUnsupported))
                    }
                    let words = text.split(whereSeparator: \\.isWhitespace).count
                    UserDefaults(suiteName: "group.\(project.identifier)")?.set(words, forKey: "words")
                    // The script's function finalize gets these arguments.
                    let answer: [String: Any] = [NSExtensionJavaScriptFinalizeArgumentKey: ["words": words]]
                    let result = NSExtensionItem()
                    result.attachments = [NSItemProvider(item: answer, typeIdentifier: type)]
                    context.completeRequest(returningItems: [result])
                }
            }
        }

        """
    }

    private var picker: String {
        """
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
    }

    private var tunnel: String {
        """
        // PacketTunnelProvider: a packet tunnel that answers pings itself.

        import NetworkExtension

        final class PacketTunnelProvider: NEPacketTunnelProvider {
            override func startTunnel(options: [String: NSObject]? = nil) async throws {
                // A real provider connects to this server, by a socket.
                let server = (protocolConfiguration as? NETunnelProviderProtocol)?.serverAddress ?? "192.0.2.1"
                let settings = NEPacketTunnelNetworkSettings(tunnelRemoteAddress: server)
                settings.ipv4Settings = NEIPv4Settings(addresses: ["10.8.0.2"], subnetMasks: ["255.255.255.0"])
                settings.mtu = 1_400
                try await setTunnelNetworkSettings(settings)
                readPackets()
            }

            override func stopTunnel(
                with reason: NEProviderStopReason, completionHandler: @escaping @Sendable () -> Void
            ) {
                completionHandler()
            }

            private func readPackets() {
                packetFlow.readPackets { packets, protocols in
                    for (packet, number) in zip(packets, protocols) {
                        guard let reply = Self.reply(to: packet) else { continue }
                        self.packetFlow.writePackets([reply], withProtocols: [number])
                    }
                    self.readPackets()
                }
            }

            /// Returns the echo reply to a packet; nil if it is no echo request of IPv4.
            private static func reply(to packet: Data) -> Data? {
                var bytes = [UInt8](packet)
                guard bytes.count >= 28, bytes[0] == 0x45, bytes[9] == 1, bytes[20] == 8 else { return nil }
                bytes.replaceSubrange(12..<20, with: bytes[16..<20] + bytes[12..<16])
                // The type goes from 8 to 0, so the checksum grows by as much (RFC 1624).
                bytes[20] = 0
                let sum = (UInt32(bytes[22]) << 8 | UInt32(bytes[23])) + 0x0800
                let folded = (sum & 0xffff) + (sum >> 16)
                (bytes[22], bytes[23]) = (UInt8(folded >> 8), UInt8(folded & 255))
                return Data(bytes)
            }
        }

        """
    }

    private var provider: String {
        """
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
    }

    private var actions: String {
        """
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
    }

    /// An effect without a view.
    private var effect: String {
        """
        // AudioUnitFactory: makes the audio unit, which changes the volume.

        import AVFoundation
        import AudioToolbox
        import Synchronization

        final class AudioUnitFactory: NSObject, AUAudioUnitFactory {
            func beginRequest(with context: NSExtensionContext) {}

            func createAudioUnit(with componentDescription: AudioComponentDescription) throws -> AUAudioUnit {
                try VolumeUnit(componentDescription: componentDescription, options: [])
            }
        }

        \(Self.volumeUnit)

        """
    }

    /// The same effect with a view.
    private var effectView: String {
        """
        // AudioUnitViewController: the view of the audio unit, which changes the volume.

        import AVFoundation
        import CoreAudioKit
        import Synchronization

        final class AudioUnitViewController: AUViewController, AUAudioUnitFactory {
            private var unit: AUAudioUnit?

            override func viewDidLoad() {
                super.viewDidLoad()
                let action = UIAction(title: "Half") { [weak self] _ in
                    self?.unit?.parameterTree?.parameter(withAddress: 0)?.value = 0.5
                }
                view.addSubview(UIButton(type: .system, primaryAction: action))
            }

            nonisolated func createAudioUnit(with componentDescription: AudioComponentDescription) throws -> AUAudioUnit {
                let made = try VolumeUnit(componentDescription: componentDescription, options: [])
                // The unit may be made before the view, or after it.
                DispatchQueue.main.async { self.unit = made }
                return made
            }
        }

        \(Self.volumeUnit)

        """
    }

    private static let volumeUnit = """
        final class VolumeUnit: AUAudioUnit, @unchecked Sendable {
            private final class Gain: Sendable {
                let bits = Atomic(AUValue(1).bitPattern)
            }

            private let gain = Gain()
            private let inputBus: AUAudioUnitBus
            private let outputBus: AUAudioUnitBus
            private lazy var inputs = AUAudioUnitBusArray(audioUnit: self, busType: .input, busses: [inputBus])
            private lazy var outputs = AUAudioUnitBusArray(audioUnit: self, busType: .output, busses: [outputBus])

            override init(
                componentDescription: AudioComponentDescription, options: AudioComponentInstantiationOptions = []
            ) throws {
                let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2)!
                inputBus = try AUAudioUnitBus(format: format)
                outputBus = try AUAudioUnitBus(format: format)
                try super.init(componentDescription: componentDescription, options: options)
                let parameter = AUParameterTree.createParameter(
                    withIdentifier: "gain", name: "Gain", address: 0, min: 0, max: 1, unit: .linearGain, unitName: nil,
                    flags: [.flag_IsReadable, .flag_IsWritable], valueStrings: nil, dependentParameters: nil)
                let tree = AUParameterTree.createTree(withChildren: [parameter])
                tree.implementorValueObserver = { [gain] _, value in
                    gain.bits.store(value.bitPattern, ordering: .relaxed)
                }
                tree.implementorValueProvider = { [gain] _ in
                    AUValue(bitPattern: gain.bits.load(ordering: .relaxed))
                }
                parameterTree = tree
            }

            override var inputBusses: AUAudioUnitBusArray { inputs }
            override var outputBusses: AUAudioUnitBusArray { outputs }

            override var internalRenderBlock: AUInternalRenderBlock {
                // The block uses nothing of the unit itself: a render must not wait for the threads that change it.
                { [gain] _, timestamp, frameCount, _, outputData, _, pullInputBlock in
                    guard let pullInputBlock else { return kAudioUnitErr_NoConnection }
                    var flags = AudioUnitRenderActionFlags()
                    let status = pullInputBlock(&flags, timestamp, frameCount, 0, outputData)
                    guard status == noErr else { return status }
                    let factor = AUValue(bitPattern: gain.bits.load(ordering: .relaxed))
                    for buffer in UnsafeMutableAudioBufferListPointer(outputData) {
                        let samples = UnsafeMutableBufferPointer<Float>(buffer)
                        for frame in samples.indices { samples[frame] *= factor }
                    }
                    return noErr
                }
            }
        }
        """

    private var index: String {
        """
        // IndexRequestHandler: indexes the notes of the app again when the system asks for them.

        import CoreSpotlight

        final class IndexRequestHandler: CSIndexExtensionRequestHandler {
            private static let notes = ["1": "Buy coffee", "2": "Call Zoë", "3": "Water the plants"]

            private static func items(_ identifiers: some Sequence<String>) -> [CSSearchableItem] {
                identifiers.compactMap { identifier in
                    guard let title = notes[identifier] else { return nil }
                    let attributes = CSSearchableItemAttributeSet(itemContentType: "public.plain-text")
                    attributes.title = title
                    return CSSearchableItem(
                        uniqueIdentifier: identifier, domainIdentifier: "notes", attributeSet: attributes)
                }
            }

            override func searchableIndex(
                _ searchableIndex: CSSearchableIndex,
                reindexAllSearchableItemsWithAcknowledgementHandler acknowledgementHandler: @escaping @Sendable () -> Void
            ) {
                searchableIndex.indexSearchableItems(Self.items(Self.notes.keys)) { error in
                    if let error { print("the notes are not indexed:", error) }
                    acknowledgementHandler()
                }
            }

            override func searchableIndex(
                _ searchableIndex: CSSearchableIndex, reindexSearchableItemsWithIdentifiers identifiers: [String],
                acknowledgementHandler: @escaping @Sendable () -> Void
            ) {
                searchableIndex.indexSearchableItems(Self.items(identifiers)) { error in
                    if let error { print("the notes are not indexed:", error) }
                    acknowledgementHandler()
                }
            }
        }

        """
    }

    private var links: String {
        """
        // RequestHandler: shares a link. A browser shows the links of all extensions by their dates.

        import SafariServices

        final class RequestHandler: NSObject, NSExtensionRequestHandling {
            func beginRequest(with context: NSExtensionContext) {
                let item = NSExtensionItem()
                item.userInfo = [
                    "uniqueIdentifier": "sample", "urlString": "https://example.org/", "date": Date(),
                    "displayName": "\(name)",
                ]
                item.attributedTitle = NSAttributedString(string: "Sample title")
                item.attributedContentText = NSAttributedString(string: "Sample description")
                context.completeRequest(returningItems: [item], completionHandler: nil)
            }
        }

        """
    }

    private var keyboard: String {
        """
        // KeyboardViewController: a keyboard with the letters of the Latin alphabet. Its edits return at once, and
        // textDocumentProxy shows them later.

        import UIKit

        final class KeyboardViewController: UIInputViewController {
            private lazy var nextKeyboard = key("next") { [weak self] in self?.advanceToNextInputMode() }

            override func viewDidLoad() {
                super.viewDidLoad()
                for letter in "qwertyuiopasdfghjklzxcvbnm".map(String.init) {
                    view.addSubview(key(letter) { [weak self] in self?.textDocumentProxy.insertText(letter) })
                }
                view.addSubview(key("space") { [weak self] in self?.textDocumentProxy.insertText(" ") })
                view.addSubview(key("delete") { [weak self] in self?.textDocumentProxy.deleteBackward() })
                view.addSubview(nextKeyboard)
            }

            override func viewWillAppear(_ animated: Bool) {
                super.viewWillAppear(animated)
                nextKeyboard.isHidden = !needsInputModeSwitchKey
            }

            private func key(_ title: String, _ action: @escaping () -> Void) -> UIButton {
                UIButton(type: .system, primaryAction: UIAction(title: title) { _ in action() })
            }
        }

        """
    }

    private var editor: String {
        """
        // EditingController: makes a negative of a photo.

        import Foundation
        import PhotosUI
        import UIKit

        final class EditingController: UIViewController, PHContentEditingController {
            private var input: PHContentEditingInput?

            // Each edit replaces the last one, so none is continued.
            func canHandle(_ adjustmentData: PHAdjustmentData) -> Bool { false }

            func startContentEditing(with contentEditingInput: PHContentEditingInput, placeholderImage: UIImage) {
                input = contentEditingInput
            }

            func finishContentEditing() async -> PHContentEditingOutput? {
                guard let input, let photo = input.fullSizeImageURL else { return nil }
                let output = PHContentEditingOutput(contentEditingInput: input)
                output.adjustmentData = PHAdjustmentData(
                    formatIdentifier: "\(project.identifier).negative", formatVersion: "1.0", data: Data("negative".utf8))
                let rendering = output.renderedContentURL
                // The photo may be large, and the person may cancel meanwhile.
                let isRendered = await Task.detached {
                    (try? Self.negative(of: photo)?.jpegData(compressionQuality: 0.9)?.write(to: rendering)) != nil
                }.value
                return isRendered ? output : nil
            }

            func cancelContentEditing() { input = nil }

            var shouldShowCancelConfirmation: Bool { false }

            /// Returns the negative, upright: a rendering has no orientation.
            private nonisolated static func negative(of file: URL) -> UIImage? {
                guard let photo = UIImage(contentsOfFile: file.path) else { return nil }
                let format = UIGraphicsImageRendererFormat()
                format.scale = 1
                let upright = UIGraphicsImageRenderer(size: photo.size, format: format).image { _ in photo.draw(at: .zero) }
                guard let image = upright.cgImage, var rows = image.dataProvider?.data else { return nil }
                rows.withUnsafeMutableBytes { bytes in
                    for place in bytes.indices { bytes[place] = place % 4 == 3 ? 255 : 255 - bytes[place] }
                }
                guard let provider = CGDataProvider(data: rows) else { return nil }
                return CGImage(
                    width: image.width, height: image.height, bitsPerComponent: 8, bitsPerPixel: 32,
                    bytesPerRow: image.bytesPerRow, space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: image.bitmapInfo,
                    provider: provider, decode: nil, shouldInterpolate: false, intent: .defaultIntent
                ).map { UIImage(cgImage: $0) }
            }
        }

        """
    }

    private var widget: String {
        """
        // WordsController: a widget that shows how many words the app's text has.

        import NotificationCenter
        import UIKit

        final class WordsController: UIViewController, NCWidgetProviding {
            private let label = UILabel(frame: CGRect(x: 16, y: 16, width: 327, height: 32))

            override func viewDidLoad() {
                super.viewDidLoad()
                label.accessibilityIdentifier = "words"
                view.addSubview(label)
            }

            func widgetPerformUpdate(completionHandler: @escaping (NCUpdateResult) -> Void) {
                let text = UserDefaults(suiteName: "group.\(project.identifier)")?.string(forKey: "text")
                let words = (text ?? "hello brave world").split(separator: " ").count
                guard label.text != "\\(words) words" else { return completionHandler(.noData) }
                label.text = "\\(words) words"
                completionHandler(.newData)
            }
        }

        """
    }

    private var service: String {
        """
        // NotificationService: adds the number of words to a notification.

        import Foundation
        import UserNotifications

        final class NotificationService: UNNotificationServiceExtension {
            private var contentHandler: ((UNNotificationContent) -> Void)?
            private var content: UNMutableNotificationContent?

            override func didReceive(
                _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
            ) {
                self.contentHandler = contentHandler
                content = request.content.mutableCopy() as? UNMutableNotificationContent
                guard let content else { return contentHandler(request.content) }
                content.subtitle = "\\(content.body.split(separator: " ").count) words"
                contentHandler(content)
            }

            override func serviceExtensionTimeWillExpire() {
                if let content { contentHandler?(content) }
            }
        }

        """
    }

    private var sheet: String {
        """
        // WordsController: a compose sheet that counts the words of its text.

        import Social
        import UIKit

        final class WordsController: SLComposeServiceViewController {
            private var words: Int { contentText.split(separator: " ").count }

            override func isContentValid() -> Bool { words > 0 }

            override func didSelectPost() {
                UserDefaults(suiteName: "group.\(project.identifier)")?.set(words, forKey: "words")
                let result = NSExtensionItem()
                result.userInfo = ["words": words]
                extensionContext?.completeRequest(returningItems: [result])
            }
        }

        """
    }

    private var view: String {
        """
        // WordsController: shows how many words the text has that it is given, and returns their number.

        import UIKit
        import UniformTypeIdentifiers

        final class WordsController: UIViewController {
            private let label = UILabel(frame: CGRect(x: 16, y: 64, width: 343, height: 32))
            private lazy var done = UIButton(
                type: .system, primaryAction: UIAction(title: "Done") { [weak self] _ in self?.finish() })
            private var words = 0

            override func viewDidLoad() {
                super.viewDidLoad()
                title = "\(name)"
                label.accessibilityIdentifier = "words"
                view.addSubview(label)
                done.isEnabled = false
                view.addSubview(done)
                Task { await count() }
            }

            private func count() async {
                let items = (extensionContext?.inputItems ?? []).compactMap { $0 as? NSExtensionItem }
                let provider = items.flatMap { $0.attachments ?? [] }
                    .first { $0.hasItemConformingToTypeIdentifier(UTType.plainText.identifier) }
                do {
                    guard let provider else { throw CocoaError(.featureUnsupported) }
                    let text = try await provider.loadItem(forTypeIdentifier: UTType.plainText.identifier, as: String.self)
                    words = text.split(separator: " ").count
                    label.text = "\\(words) words"
                    done.isEnabled = true
                } catch {
                    extensionContext?.cancelRequest(withError: error)
                }
            }

            private func finish() {
                UserDefaults(suiteName: "group.\(project.identifier)")?.set(words, forKey: "words")
                let result = NSExtensionItem()
                result.userInfo = ["words": words]
                extensionContext?.completeRequest(returningItems: [result])
            }
        }

        """
    }

    private var handler: String {
        """
        // RequestHandler: counts the words of the text that it is given.

        import ExtensionFoundation
        import Foundation
        import UniformTypeIdentifiers

        final class RequestHandler: NSObject, NSExtensionRequestHandling {
            func beginRequest(with context: NSExtensionContext) {
                let items = context.inputItems.compactMap { $0 as? NSExtensionItem }
                let provider = items.flatMap { $0.attachments ?? [] }
                    .first { $0.hasItemConformingToTypeIdentifier(UTType.plainText.identifier) }
                guard let provider else { return context.cancelRequest(withError: CocoaError(.featureUnsupported)) }
                provider.loadItem(forTypeIdentifier: UTType.plainText.identifier, options: nil) { value, error in
                    guard let text = value as? String else {
                        return context.cancelRequest(withError: error ?? CocoaError(.featureUnsupported))
                    }
                    let words = text.split(separator: " ").count
                    UserDefaults(suiteName: "group.\(project.identifier)")?.set(words, forKey: "words")
                    let result = NSExtensionItem()
                    result.userInfo = ["words": words]
                    context.completeRequest(returningItems: [result])
                }
            }
        }

        """
    }
}
