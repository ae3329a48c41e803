// NSItemProvider: one thing in several forms, each made when somebody asks for it.

public import Foundation
internal import UniformTypeIdentifiers

/// A thing that can be had as data or objects of several types, the best one first.
///
/// A load picks the representation of exactly the asked type, else the first registered one that conforms to it. Load and
/// completion handlers run on a concurrent queue, those of several loads at once; each completion handler is called exactly
/// once, and a load handler that answers twice is not heard the second time. All members may be used from any thread.
///
/// A copy shares the values and handlers; a subclass with state of its own overrides `copy(with:)`.
// Unchecked: `state` is everything that changes and every use of it holds `lock`.
open class NSItemProvider: NSObject, NSCopying, @unchecked Sendable {
    /// Gets a value or an error, once, from any thread.
    public typealias CompletionHandler = @Sendable (_ item: Any?, _ error: (any Error)?) -> Void

    /// Makes an item and hands it to the completion handler, from any thread, now or later. `expectedValueClass` is the class
    /// that a typed load wants, nil when any will do.
    public typealias LoadHandler =
        @Sendable (
            _ completionHandler: CompletionHandler?, _ expectedValueClass: AnyClass?, _ options: [AnyHashable: Any]?
        ) -> Void

    /// Makes data and hands it to the completion handler; a returned progress is cancelled with the load.
    public typealias DataLoadHandler =
        @Sendable (_ completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?

    private struct State: Sendable {
        var representations: [Representation] = []
        var suggestedName: String?
        /// The number under which the provider's owner, another process, knows it; nil once something is registered here.
        var remoteNumber: Int?
    }

    private let lock = NSLock()
    private var state = State()

    public override init() { super.init() }

    /// A provider of one present value. Without a type it is the value's own: a URL, a file's URL, text, data or a property
    /// list; a value of another kind is `public.data`.
    public init(item: (any NSSecureCoding)?, typeIdentifier: String?) {
        super.init()
        guard item != nil || typeIdentifier != nil else { return }
        state.representations = [
            Representation(
                typeIdentifier: typeIdentifier ?? NSItemProvider.typeIdentifier(of: item),
                source: .value(Handover(value: item.map { foundationValue($0) })))
        ]
    }

    /// A provider of a file: first by the type that its name says (`public.data` or `public.folder` when it says none), then
    /// as `public.file-url`. Nil when the URL is no file's or nothing is there.
    public init?(contentsOf fileURL: URL) {
        guard let kind = FileKind(of: fileURL) else { return nil }
        super.init()
        let isDirectory = kind == .directory
        let named = UTType(filenameExtension: fileURL.pathExtension, conformingTo: isDirectory ? .directory : .data)
        let type = named.flatMap { $0.isDynamic ? nil : $0 } ?? (isDirectory ? .folder : .data)
        state.representations = [type, .fileURL].map { Representation(typeIdentifier: $0.identifier, source: .file(fileURL)) }
        state.suggestedName = fileURL.lastPathComponent
    }

    init(representations: [Representation], suggestedName: String?, remoteNumber: Int? = nil) {
        super.init()
        state = State(representations: representations, suggestedName: suggestedName, remoteNumber: remoteNumber)
    }

    /// What a file made of this thing could be called.
    open var suggestedName: String? {
        get { lock.withLock { state.suggestedName } }
        set { lock.withLock { state.suggestedName = newValue } }
    }

    // MARK: Registration

    /// Offers a type whose value the handler makes. A type that is registered again keeps its place and gets the new handler.
    open func registerItem(forTypeIdentifier typeIdentifier: String, loadHandler: @escaping LoadHandler) {
        register(Representation(typeIdentifier: typeIdentifier, source: .item(loadHandler)))
    }

    /// Offers a type whose bytes the handler makes.
    open func registerDataRepresentation(
        forTypeIdentifier typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
        loadHandler: @escaping DataLoadHandler
    ) {
        register(Representation(typeIdentifier: typeIdentifier, visibility: visibility, source: .data(loadHandler)))
    }

    private func register(_ representation: Representation) {
        lock.withLock {
            let same = state.representations.firstIndex { $0.typeIdentifier == representation.typeIdentifier }
            if let same {
                state.representations[same] = representation
            } else {
                state.representations.append(representation)
            }
            state.remoteNumber = nil
        }
    }

    // MARK: What there is

    /// The types on offer, in the order of registration.
    open var registeredTypeIdentifiers: [String] { representations.map(\.typeIdentifier) }

    /// The types on offer with these file options.
    open func registeredTypeIdentifiers(fileOptions: NSItemProviderFileOptions) -> [String] {
        representations.filter { $0.fileOptions.isSuperset(of: fileOptions) }.map(\.typeIdentifier)
    }

    /// Whether a registered type is the asked one or conforms to it.
    open func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
        hasRepresentationConforming(toTypeIdentifier: typeIdentifier, fileOptions: [])
    }

    /// The same among the types on offer with these file options.
    open func hasRepresentationConforming(
        toTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = []
    ) -> Bool {
        representations.contains {
            $0.fileOptions.isSuperset(of: fileOptions) && UTType.identifier($0.typeIdentifier, conformsTo: typeIdentifier)
        }
    }

    var representations: [Representation] { lock.withLock { state.representations } }
    var remoteNumber: Int? { lock.withLock { state.remoteNumber } }

    /// The representation that a load of this type takes: exactly it, else the first that conforms.
    func representation(for typeIdentifier: String, visibleToOthers: Bool = false) -> Representation? {
        let offered = representations.filter { !visibleToOthers || $0.isVisibleToOthers }
        return offered.first { $0.typeIdentifier == typeIdentifier }
            ?? offered.first { UTType.identifier($0.typeIdentifier, conformsTo: typeIdentifier) }
    }

    private static func typeIdentifier(of item: Any?) -> String {
        switch item {
        case let url as URL: url.isFileURL ? UTType.fileURL.identifier : UTType.url.identifier
        case is String, is NSAttributedString: UTType.plainText.identifier
        case is NSDictionary, is NSArray: UTType.propertyList.identifier
        default: UTType.data.identifier
        }
    }

    // MARK: Copies and printing

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSItemProvider()
        copy.state = lock.withLock { state }
        return copy
    }

    open override var description: String {
        let types = registeredTypeIdentifiers.map { "\"\($0)\"" }.joined(separator: ", ")
        return "<NSItemProvider: \(address(of: self))> {types = ( \(types) )}"
    }
}
