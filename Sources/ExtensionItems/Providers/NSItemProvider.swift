// NSItemProvider: one thing in several forms, each made when somebody asks for it.

public import Foundation
internal import LinuxDescriptors
public import UniformTypeIdentifiers

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

    /// Makes a file and hands its URL to the completion handler, from any thread; the flag says whether access to it is to be
    /// coordinated, which nothing does here. The file may be removed when that call returns. A returned progress is cancelled
    /// with the load.
    public typealias FileLoadHandler =
        @Sendable (_ completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?

    private struct State: Sendable {
        var representations: [Representation] = []
        var suggestedName: String?
        /// What the provider's owner, another process, calls it; nil once something is registered here.
        var remoteName: RemoteName?
        /// Another process made it and handed over its values; what it could make besides stayed there.
        var isReturned = false
        var previewImageHandler: LoadHandler?
        /// Copies that were given out for in-place access without a lease to close.
        var leases: [FileLease] = []
        /// The copies of files that this process cannot open by their URL.
        var copies: [FileStatus: URL] = [:]
    }

    /// A provider of another process.
    struct RemoteName: Sendable {
        let owner: String
        let number: Int
    }

    private let lock = NSLock()
    private var state = State()

    public override init() { super.init() }

    /// A provider of one present value. Without a type it is the value's own: a URL, a file's URL, text, data or a property
    /// list; a value of another kind is `public.data`.
    public init(item: (any NSSecureCoding)?, typeIdentifier: String?) {
        super.init()
        offer(item, as: typeIdentifier)
    }

    /// The same with a Swift value, which is no object here unless somebody makes it one: a `URL`, a `String`, `Data`, an array or a dictionary,
    /// as `loadItem` hands it over. Ours.
    @_disfavoredOverload
    public convenience init(item: Any?, typeIdentifier: String?) {
        self.init()
        switch item {
        case let item as [String: Any]: offer(NSDictionary(dictionary: item), as: typeIdentifier)
        case let item as [Any]: offer(NSArray(array: item), as: typeIdentifier)
        default: offer(item, as: typeIdentifier)
        }
    }

    private func offer(_ item: Any?, as typeIdentifier: String?) {
        guard item != nil || typeIdentifier != nil else { return }
        state.representations = [
            Representation(
                typeIdentifier: typeIdentifier ?? NSItemProvider.typeIdentifier(of: item), source: Representation.source(of: item)
            )
        ]
    }

    /// A provider of a file: first by the type that its name says (`public.data` or `public.folder` when it says none), then
    /// as `public.file-url`. Nil when the URL is nil or no file's, or nothing is there.
    public init?(contentsOf fileURL: URL!) {
        guard let fileURL, let kind = FileKind(of: fileURL) else { return nil }
        super.init()
        let isDirectory = kind == .directory
        let named = UTType(filenameExtension: fileURL.pathExtension, conformingTo: isDirectory ? .directory : .data)
        let type = named.flatMap { $0.isDynamic ? nil : $0 } ?? (isDirectory ? .folder : .data)
        state.representations = [type, .fileURL].map { Representation(typeIdentifier: $0.identifier, source: .file(fileURL)) }
        state.suggestedName = fileURL.lastPathComponent
    }

    /// A provider of a file as one type, nil for the type that its name says. Nil when the URL is no file's or nothing is there.
    ///
    /// - Parameters:
    ///   - fileURL: of a file or a folder.
    ///   - contentType: as which it is offered.
    ///   - openInPlace: readers may work on the file itself, and are not limited to a copy.
    ///   - coordinated: for Apple's sake; nothing coordinates access here, which is said once on standard error.
    ///   - visibility: who may see it.
    public convenience init?(
        contentsOf fileURL: URL, contentType: UTType?, openInPlace: Bool = false, coordinated: Bool = false,
        visibility: NSItemProviderRepresentationVisibility = .all
    ) {
        self.init(contentsOf: fileURL)
        if coordinated { Unsupported.fileCoordination.tell() }
        if visibility.isLeftOut { Unsupported.visibilityOfTeamAndGroup.tell() }
        guard let first = state.representations.first else { return }
        state.representations = [
            Representation(
                typeIdentifier: contentType?.identifier ?? first.typeIdentifier, visibility: visibility,
                fileOptions: openInPlace ? .openInPlace : [], source: .file(fileURL))
        ]
    }

    init(representations: [Representation], suggestedName: String?, remoteName: RemoteName? = nil, isReturned: Bool = false) {
        super.init()
        state = State(
            representations: representations, suggestedName: suggestedName, remoteName: remoteName, isReturned: isReturned)
    }

    /// Whether an extension returned it.
    final var isReturned: Bool { lock.withLock { state.isReturned } }

    /// What a file made of this thing could be called.
    open var suggestedName: String? {
        get { lock.withLock { state.suggestedName } }
        set { lock.withLock { state.suggestedName = newValue } }
    }

    /// Makes a small image of the thing: `Data`, a file's URL or an `ItemImage`. Runs when a preview is asked for, in this process.
    open var previewImageHandler: LoadHandler? {
        get { lock.withLock { state.previewImageHandler } }
        set { lock.withLock { state.previewImageHandler = newValue } }
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

    /// Offers a type whose file the handler makes. `fileOptions` says whether readers may work on the file itself.
    open func registerFileRepresentation(
        forTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = [],
        visibility: NSItemProviderRepresentationVisibility, loadHandler: @escaping FileLoadHandler
    ) {
        register(
            Representation(
                typeIdentifier: typeIdentifier, visibility: visibility, fileOptions: fileOptions, source: .files(loadHandler)))
    }

    func register(_ representation: Representation) {
        if representation.visibility.isLeftOut { Unsupported.visibilityOfTeamAndGroup.tell() }
        lock.withLock {
            let same = state.representations.firstIndex { $0.typeIdentifier == representation.typeIdentifier }
            if let same {
                state.representations[same] = representation
            } else {
                state.representations.append(representation)
            }
            state.remoteName = nil
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

    /// The number under which this owner, another process, knows the provider; nil for everybody else's.
    func number(at owner: String) -> Int? {
        lock.withLock { state.remoteName.flatMap { $0.owner == owner ? $0.number : nil } }
    }

    /// Keeps a copy for as long as this provider.
    func keep(_ lease: FileLease) { lock.withLock { state.leases.append(lease) } }

    /// Keeps the copy of another process's file, which had this status.
    func keep(_ lease: FileLease, of original: FileStatus) {
        lock.withLock {
            state.leases.append(lease)
            state.copies[original] = lease.url
        }
    }

    func copy(of original: FileStatus) -> URL? { lock.withLock { state.copies[original] } }

    /// The representation that a load of this type takes: exactly it, else the first that conforms.
    /// Among those, one with the file options comes first.
    func representation(
        for typeIdentifier: String, visibleToOthers: Bool = false, fileOptions: NSItemProviderFileOptions = []
    ) -> Representation? {
        let offered = representations.filter { !visibleToOthers || $0.isVisibleToOthers }
        let preferred = fileOptions.isEmpty ? offered : offered.filter { $0.fileOptions.isSuperset(of: fileOptions) }
        for list in fileOptions.isEmpty ? [offered] : [preferred, offered] {
            let found =
                list.first { $0.typeIdentifier == typeIdentifier }
                ?? list.first { UTType.identifier($0.typeIdentifier, conformsTo: typeIdentifier) }
            if let found { return found }
        }
        return nil
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
        (copy.state.leases, copy.state.copies) = ([], [:])
        return copy
    }

    open override var description: String {
        let types = registeredTypeIdentifiers.map { "\"\($0)\"" }.joined(separator: ", ")
        return "<NSItemProvider: \(address(of: self))> {types = ( \(types) )}"
    }
}
