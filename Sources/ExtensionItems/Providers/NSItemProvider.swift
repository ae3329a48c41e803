// NSItemProvider: a thing in several forms, each made on demand.

public import Foundation
internal import LinuxDescriptors
public import UniformTypeIdentifiers

/// A thing that can be loaded as data or objects of several types, the best one first.
///
/// A load picks the representation of exactly the requested type, else the first registered one that conforms to it.
/// Load and completion handlers run on a concurrent queue, those of several loads at once. Each completion handler is
/// called exactly once, and the second answer of a load handler is ignored. All members may be used from any thread.
///
/// A copy shares the values and handlers; a subclass with its own state overrides `copy(with:)`.
// Unchecked: `state` is everything that changes and every use of it holds `lock`.
open class NSItemProvider: NSObject, NSCopying, @unchecked Sendable {
    /// A handler that gets a value or an error, once, from any thread.
    public typealias CompletionHandler = @Sendable (_ item: Any?, _ error: (any Error)?) -> Void

    /// A handler that makes an item and passes it to the completion handler, from any thread, now or later.
    ///
    /// `expectedValueClass` is the class that a typed load wants, nil if any will do.
    public typealias LoadHandler =
        @Sendable (
            _ completionHandler: CompletionHandler?, _ expectedValueClass: AnyClass?, _ options: [AnyHashable: Any]?
        ) -> Void

    /// A handler that makes data and passes it to the completion handler; a returned progress is cancelled with the
    /// load.
    public typealias DataLoadHandler =
        @Sendable (_ completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void) -> Progress?

    /// A handler that makes a file and passes its URL to the completion handler, from any thread.
    ///
    /// The flag says whether access to it must be coordinated, which nothing does here. The file may be removed when
    /// that call returns. A returned progress is cancelled with the load.
    public typealias FileLoadHandler =
        @Sendable (_ completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void) -> Progress?

    private struct State: Sendable {
        var representations: [Representation] = []
        var suggestedName: String?
        /// The name by which the provider's owner, another process, knows it; nil once something is registered here.
        var remoteName: RemoteName?
        /// Whether another process made it and handed over its values; its handlers stayed there.
        var isReturned = false
        var previewImageHandler: LoadHandler?
        /// The copies that were given out for in-place access without a lease to close.
        var leases: [FileLease] = []
        /// The copies of files that this process cannot open by their URL.
        var copies: [FileStatus: URL] = [:]
    }

    /// The name of another process's provider.
    struct RemoteName: Sendable {
        let owner: String
        let number: Int
    }

    private let lock = NSLock()
    private var state = State()

    public override init() { super.init() }

    /// Makes a provider of one present value.
    ///
    /// Without a type it is the value's own: a URL, a file's URL, text, data or a property list. A value of another
    /// kind is `public.data`.
    public init(item: (any NSSecureCoding)?, typeIdentifier: String?) {
        super.init()
        offer(item, as: typeIdentifier)
    }

    /// Makes a provider of one Swift value, as `loadItem` returns it. Ours.
    ///
    /// The value is a `URL`, a `String`, `Data`, an array or a dictionary, which are no objects here without a
    /// conversion.
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
                typeIdentifier: typeIdentifier ?? NSItemProvider.typeIdentifier(of: item),
                source: Representation.source(of: item)
            )
        ]
    }

    /// Makes a provider of a file; nil if the URL is nil or no file's, or nothing is there.
    ///
    /// The first type is that of its name (`public.data` or `public.folder` if the name has none), its second
    /// `public.file-url`.
    public init?(contentsOf fileURL: URL!) {
        guard let fileURL, let kind = FileKind(of: fileURL) else { return nil }
        super.init()
        let isDirectory = kind == .directory
        let named = UTType(filenameExtension: fileURL.pathExtension, conformingTo: isDirectory ? .directory : .data)
        let type = named.flatMap { $0.isDynamic ? nil : $0 } ?? (isDirectory ? .folder : .data)
        state.representations = [type, .fileURL].map {
            Representation(typeIdentifier: $0.identifier, source: .file(fileURL))
        }
        state.suggestedName = fileURL.lastPathComponent
    }

    /// Makes a provider of a file as one type, nil for the type of its name.
    ///
    /// Nil if the URL is no file's or nothing is there.
    ///
    /// - Parameters:
    ///   - fileURL: of a file or a folder.
    ///   - contentType: the type under which it is registered.
    ///   - openInPlace: whether readers may edit the file itself, and not only a copy.
    ///   - coordinated: for Apple's sake; nothing coordinates access here, which is logged once to standard error.
    ///   - visibility: the programs that may see it.
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

    init(
        representations: [Representation], suggestedName: String?, remoteName: RemoteName? = nil,
        isReturned: Bool = false
    ) {
        super.init()
        state = State(
            representations: representations, suggestedName: suggestedName, remoteName: remoteName,
            isReturned: isReturned)
    }

    /// Whether an extension returned it.
    final var isReturned: Bool { lock.withLock { state.isReturned } }

    /// The suggested name of a file made from this thing.
    open var suggestedName: String? {
        get { lock.withLock { state.suggestedName } }
        set { lock.withLock { state.suggestedName = newValue } }
    }

    /// The handler that makes a small image of the thing: `Data`, a file's URL or an `ItemImage`.
    ///
    /// It runs when a preview is loaded, in this process.
    open var previewImageHandler: LoadHandler? {
        get { lock.withLock { state.previewImageHandler } }
        set { lock.withLock { state.previewImageHandler = newValue } }
    }

    // MARK: Registration

    /// Registers a type whose value the handler makes.
    ///
    /// A type that is registered again keeps its place and gets the new handler.
    open func registerItem(forTypeIdentifier typeIdentifier: String, loadHandler: @escaping LoadHandler) {
        register(Representation(typeIdentifier: typeIdentifier, source: .item(loadHandler)))
    }

    /// Registers a type whose bytes the handler makes.
    open func registerDataRepresentation(
        forTypeIdentifier typeIdentifier: String, visibility: NSItemProviderRepresentationVisibility,
        loadHandler: @escaping DataLoadHandler
    ) {
        register(Representation(typeIdentifier: typeIdentifier, visibility: visibility, source: .data(loadHandler)))
    }

    /// Registers a type whose file the handler makes. `fileOptions` says whether readers may edit the file in place.
    open func registerFileRepresentation(
        forTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = [],
        visibility: NSItemProviderRepresentationVisibility, loadHandler: @escaping FileLoadHandler
    ) {
        register(
            Representation(
                typeIdentifier: typeIdentifier, visibility: visibility, fileOptions: fileOptions,
                source: .files(loadHandler)))
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

    /// The registered types, in the order of registration.
    open var registeredTypeIdentifiers: [String] { representations.map(\.typeIdentifier) }

    /// Returns the registered types with these file options.
    open func registeredTypeIdentifiers(fileOptions: NSItemProviderFileOptions) -> [String] {
        representations.filter { $0.fileOptions.isSuperset(of: fileOptions) }.map(\.typeIdentifier)
    }

    /// Whether a registered type is the requested one or conforms to it.
    open func hasItemConformingToTypeIdentifier(_ typeIdentifier: String) -> Bool {
        hasRepresentationConforming(toTypeIdentifier: typeIdentifier, fileOptions: [])
    }

    /// Whether a registered type with these file options is the requested one or conforms to it.
    open func hasRepresentationConforming(
        toTypeIdentifier typeIdentifier: String, fileOptions: NSItemProviderFileOptions = []
    ) -> Bool {
        representations.contains {
            $0.fileOptions.isSuperset(of: fileOptions)
                && UTType.identifier($0.typeIdentifier, conformsTo: typeIdentifier)
        }
    }

    var representations: [Representation] { lock.withLock { state.representations } }

    /// Returns the number by which this owner, another process, knows the provider; nil for any other owner's.
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

    /// Returns the representation that a load of this type takes: exactly it, else the first that conforms.
    ///
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
