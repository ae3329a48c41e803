// ItemLoader: the connection from a decoded provider to its owner.

internal import Foundation
public import PropertyListCoding

/// A reader's load of a provider in another process.
public struct LoadQuestion: Sendable {
    /// The provider's number there.
    public var provider: Int
    /// The registered type, or one that it conforms to.
    public var typeIdentifier: String
    /// The form in which the value is loaded.
    public var form: LoadForm
    /// The options and the expected class in the form of `docs/protocol.md`, section 8; nil if there are none.
    public var details: PropertyList?

    /// Makes a question; `details` is nil without options.
    public init(provider: Int, typeIdentifier: String, form: LoadForm = .item, details: PropertyList? = nil) {
        self.provider = provider
        self.typeIdentifier = typeIdentifier
        self.form = form
        self.details = details
    }
}

/// The far side of decoded providers, in practice a request's host.
public protocol ItemLoader: Sendable {
    /// The owner of the providers, in practice a request, in which their numbers have a meaning.
    ///
    /// A provider returns to its owner under its number, and to every other owner as a provider of this process.
    var owner: String { get }

    /// Makes the owner load a representation; returns a function that stops the load at its owner.
    ///
    /// `completion` is called once, from any thread, with the result of `serveLoad` there; a loader that releases it
    /// unused fails the load with `itemUnavailableError`. `progress` may be called before, with the completed and the
    /// total units.
    ///
    /// The returned function is called at most once, when the answer is not needed any more.
    func load(
        _ question: LoadQuestion, progress: @escaping @Sendable (Int64, Int64) -> Void,
        completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void
    ) -> @Sendable () -> Void
}

extension ItemLoader {
    /// The owner for a loader that has only one: the empty name.
    public var owner: String { "" }
}

extension LoadQuestion {
    /// Makes the question of a load. Throws for options that cannot travel.
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

    /// Returns the request of a stranger's question. Unknown names in it are ignored.
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

    /// The classes by the names that travel: a class of a stranger's choice is never looked up.
    private static let classes: [String: AnyClass] = [
        "NSURL": NSURL.self, "NSData": NSData.self, "NSString": NSString.self, "NSDictionary": NSDictionary.self,
        "NSArray": NSArray.self, "NSAttributedString": NSAttributedString.self, "NSNumber": NSNumber.self,
        "NSDate": NSDate.self, "ItemImage": ItemImage.self, "FileWrapper": FileWrapper.self,
    ]
}
