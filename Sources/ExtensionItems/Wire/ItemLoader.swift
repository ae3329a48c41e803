// ItemLoader: the way back from a decoded provider to its owner.

internal import Foundation
public import PropertyListCoding

/// What a reader asks of a provider in another process.
public struct LoadQuestion: Sendable {
    /// The provider's number there.
    public var provider: Int
    /// The registered type, or one that it conforms to.
    public var typeIdentifier: String
    /// In which form the value is wanted.
    public var form: LoadForm
    /// Options and expected class, as `docs/protocol.md`, section 8, has them; nil when there are none.
    public var details: PropertyList?

    /// A question; `details` is nil without options.
    public init(provider: Int, typeIdentifier: String, form: LoadForm = .item, details: PropertyList? = nil) {
        self.provider = provider
        self.typeIdentifier = typeIdentifier
        self.form = form
        self.details = details
    }
}

/// The far side of decoded providers, in practice a request's host.
public protocol ItemLoader: Sendable {
    /// Who owns the providers, and means something by their numbers: in practice a request. A provider goes back to it under its number,
    /// and to every other as a provider of this process.
    var owner: String { get }

    /// Has the owner load a representation. `completion` is called once, from any thread, with what `serveLoad` made there;
    /// a loader that lets go of it unused fails the load with `itemUnavailableError`. `progress` may be called before, with the
    /// units that are done and all of them.
    ///
    /// Returns what stops the load at its owner; it is called once at the most, when nobody waits for the answer any more.
    func load(
        _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) -> @Sendable () -> Void
}

extension ItemLoader {
    /// Nobody in particular, where there is one only.
    public var owner: String { "" }
}

extension LoadQuestion {
    /// The question of a load. Throws for options that cannot travel.
    init(provider: Int, typeIdentifier: String, _ request: LoadRequest) throws(ItemCodingError) {
        self.init(provider: provider, typeIdentifier: typeIdentifier, form: request.form)
        var entries: [(String, PropertyList)] = []
        if var options = request.options, !options.isEmpty {
            if let size = preferredImageSize(in: options) {
                options[NSItemProviderPreferredImageSizeKey] = [Double(size.width), Double(size.height)]
            }
            var encoder = ValueEncoder(providers: .refuse)
            entries.append((WireKey.options, .dictionary(try encoder.plainDictionary(options))))
        }
        if let name = Self.classes.first(where: { $0.value == request.expectedClass })?.key {
            entries.append((WireKey.expected, .string(name)))
        }
        details = entries.isEmpty ? nil : .dictionary(PropertyListDictionary(entries))
    }

    /// The request of a stranger's question. What it names and is not known here is passed over.
    func request() throws(ItemCodingError) -> LoadRequest {
        var request = LoadRequest(form: form, isFromOthers: true)
        if let entries = details?.dictionary {
            if let options = entries[WireKey.options]?.dictionary {
                var decoder = ValueDecoder(descriptors: [], providers: .refuse)
                request.options = try decoder.plainDictionary(options)
                if let size = request.options.flatMap(preferredImageSize(in:)) {
                    request.options?[NSItemProviderPreferredImageSizeKey] = size
                }
            }
            if let name = entries[WireKey.expected]?.string { request.expectedClass = Self.classes[name] }
        }
        return request
    }

    /// By the names that travel: a class of a stranger's choice is never looked up.
    private static let classes: [String: AnyClass] = [
        "NSURL": NSURL.self, "NSData": NSData.self, "NSString": NSString.self, "NSDictionary": NSDictionary.self,
        "NSArray": NSArray.self, "NSAttributedString": NSAttributedString.self, "NSNumber": NSNumber.self,
        "NSDate": NSDate.self, "ItemImage": ItemImage.self, "FileWrapper": FileWrapper.self,
    ]
}
