// TrialContent: the content that a matrix shares, and its four shapes.

import ExtensionHost
import Foundation
import Locks
import Scenarios

/// One content: its bytes and their type, and its other forms.
struct TrialContent: Sendable {
    /// The result of a load of the shape `object`.
    enum Value: Sendable {
        case text(String)
        case dictionary(Data)
    }

    let type: String
    let bytes: Data
    /// The URL, if the content is a link.
    let link: URL?
    let value: Value?
    /// The file that holds the bytes, and its name.
    let file: URL
    /// A description for people.
    let summary: String

    static func link(_ url: URL, in folder: String) throws -> TrialContent {
        let text = url.absoluteString
        return try TrialContent(
            type: "public.url", bytes: Data(text.utf8), link: url, value: nil, fileName: "link.url", folder: folder,
            summary: text
        )
    }

    static func text(_ text: String, in folder: String) throws -> TrialContent {
        try TrialContent(
            type: "public.plain-text", bytes: Data(text.utf8), link: nil, value: .text(text), fileName: "text.txt",
            folder: folder,
            summary: "“\(text)”")
    }

    /// - Parameter type: nil for the type that belongs to the file's name.
    static func file(_ path: String, type: String?, in folder: String) throws -> TrialContent {
        let bytes = try InputFile(path).data()
        let url = URL(fileURLWithPath: path)
        let type = type ?? NSItemProvider(contentsOf: url)?.registeredTypeIdentifiers.first ?? "public.data"
        let isText = NSItemProvider(item: nil, typeIdentifier: type).hasItemConformingToTypeIdentifier("public.text")
        let text = isText ? String(data: bytes, encoding: .utf8) : nil
        return try TrialContent(
            type: type, bytes: bytes, link: nil, value: text.map(Value.text), fileName: url.lastPathComponent,
            folder: folder,
            summary: path)
    }

    static func propertyList(_ path: String, in folder: String) throws -> TrialContent {
        _ = try InputFile(path).propertyList()
        let bytes = try InputFile(path).data()
        return try TrialContent(
            type: "com.apple.property-list", bytes: bytes, link: nil, value: .dictionary(bytes), fileName: "list.plist",
            folder: folder, summary: path)
    }

    private init(
        type: String, bytes: Data, link: URL?, value: Value?, fileName: String, folder: String, summary: String
    ) throws {
        self.type = type
        self.bytes = bytes
        self.link = link
        self.value = value
        self.summary = summary
        // Each content has a folder of its own: both may have one name.
        let place = URL(fileURLWithPath: folder).appendingPathComponent(UUID().uuidString, isDirectory: true)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        file = place.appendingPathComponent(fileName)
        try bytes.write(to: file)
    }

    // MARK: Shapes

    /// Returns the reason why the content has no such shape. Nil if it has one.
    func lack(_ shape: ContentShape) -> String? {
        guard shape == .object, link == nil, value == nil else { return nil }
        return "there is no object of the type \(type)"
    }

    /// Returns an item with the content as its only attachment. Its loads are answered once `gate` is open.
    func item(_ shape: ContentShape, _ gate: LoadGate) -> OfferedItem {
        let provider = NSItemProvider()
        switch shape {
        case .url:
            let url = (link ?? file) as NSURL
            provider.registerItem(forTypeIdentifier: type) { completion, _, _ in gate.pass { completion?(url, nil) } }
        case .data:
            let bytes = bytes
            provider.registerDataRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
                gate.pass { completion(bytes, nil) }
                return nil
            }
        case .file:
            let file = file
            provider.registerFileRepresentation(forTypeIdentifier: type, visibility: .all) { completion in
                gate.pass { completion(file, false, nil) }
                return nil
            }
        case .object: registerObject(on: provider, gate)
        }
        if shape != .object { provider.suggestedName = file.lastPathComponent }
        let item = NSExtensionItem()
        item.attachments = [provider]
        return OfferedItem(item)
    }

    private func registerObject(on provider: NSItemProvider, _ gate: LoadGate) {
        if let link {
            provider.registerObject(ofClass: NSURL.self, visibility: .all) { completion in
                gate.pass { completion(link as NSURL, nil) }
                return nil
            }
            return
        }
        let value = value
        provider.registerItem(forTypeIdentifier: type) { completion, _, _ in
            gate.pass {
                switch value {
                case .text(let text): completion?(text as NSString, nil)
                case .dictionary(let bytes):
                    let list = try? PropertyListSerialization.propertyList(from: bytes, format: nil)
                    completion?(list as? NSDictionary, nil)
                case nil: completion?(nil, nil)
                }
            }
        }
    }
}

/// A gate that delays answers until it is opened. Safe to use from any thread.
final class LoadGate: Sendable {
    private struct State {
        var isOpen: Bool
        var waiting: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>

    init(isOpen: Bool) { state = Mutex(State(isOpen: isOpen)) }

    func pass(_ answer: @escaping @Sendable () -> Void) {
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiting.append(answer) }
            return state.isOpen
        }
        if isOpen { answer() }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = State(isOpen: true) }
            return state.waiting
        }
        for answer in waiting { answer() }
    }
}
