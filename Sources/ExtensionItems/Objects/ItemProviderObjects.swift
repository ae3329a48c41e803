// ItemProviderObjects: values as objects of classes that read and write themselves (spec 1.6, the API of 2017).

public import Foundation
internal import UniformTypeIdentifiers

/// A class whose objects can be made of an item's bytes.
public protocol NSItemProviderReading: NSObjectProtocol, SendableMetatype {
    /// The types that it reads, the best one first.
    static var readableTypeIdentifiersForItemProvider: [String] { get }

    /// Makes an object of bytes. Called on a background thread.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - typeIdentifier: their registered type, which conforms to one of those above.
    /// - Throws: what the reader of the item gets, when the bytes are not what the type says.
    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self
}

/// A class whose objects can be turned into bytes for an item.
public protocol NSItemProviderWriting: NSObjectProtocol, SendableMetatype {
    /// The types that its objects can be written as, the best one first.
    static var writableTypeIdentifiersForItemProvider: [String] { get }

    /// The types that this object can be written as; by default those of its class.
    var writableTypeIdentifiersForItemProvider: [String] { get }

    /// Who may see a type of this object; by default whom the registration says.
    func itemProviderVisibilityForRepresentation(withTypeIdentifier typeIdentifier: String)
        -> NSItemProviderRepresentationVisibility?

    /// Writes the object, and hands the bytes over once, from any thread. Called on a background thread, when they are asked for.
    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress?
}

extension NSItemProviderWriting {
    /// Those of its class.
    public var writableTypeIdentifiersForItemProvider: [String] { Self.writableTypeIdentifiersForItemProvider }

    /// Whom the registration says.
    public func itemProviderVisibilityForRepresentation(withTypeIdentifier typeIdentifier: String)
        -> NSItemProviderRepresentationVisibility?
    { nil }
}

extension NSItemProvider {
    /// A provider of an object, as every type that it can be written as.
    public convenience init(object: any NSItemProviderWriting) {
        self.init()
        registerObject(object, visibility: .all)
    }

    /// Offers an object as every type that it can be written as. The object is written when it is asked for, and must not be changed
    /// any more.
    public func registerObject(_ object: any NSItemProviderWriting, visibility: NSItemProviderRepresentationVisibility) {
        let kept = Handover(value: object)
        for type in object.writableTypeIdentifiersForItemProvider {
            registerDataRepresentation(
                forTypeIdentifier: type,
                visibility: object.itemProviderVisibilityForRepresentation(withTypeIdentifier: type) ?? visibility
            ) { completion in
                kept.value.loadData(withTypeIdentifier: type, forItemProviderCompletionHandler: completion)
            }
        }
    }

    /// Offers an object that the handler makes, as every type that its class can be written as. A returned progress is cancelled
    /// with the load.
    public func registerObject<Object: NSItemProviderWriting>(
        ofClass type: Object.Type, visibility: NSItemProviderRepresentationVisibility,
        loadHandler: @escaping @Sendable (_ completionHandler: @escaping @Sendable (Object?, (any Error)?) -> Void) -> Progress?
    ) {
        for identifier in type.writableTypeIdentifiersForItemProvider {
            registerDataRepresentation(forTypeIdentifier: identifier, visibility: visibility) { completion in
                loadHandler { object, error in
                    guard let object, error == nil else { return completion(nil, error) }
                    _ = object.loadData(withTypeIdentifier: identifier, forItemProviderCompletionHandler: completion)
                }
            }
        }
    }

    /// Whether a registered type is one that the class reads.
    public func canLoadObject(ofClass type: any NSItemProviderReading.Type) -> Bool { readable(by: type) != nil }

    /// Loads an object: of the best type for its class that is registered.
    ///
    /// Returns at once. Cancelling the progress ends the load with `CocoaError.userCancelled`. Errors: `itemUnavailableError` when
    /// the class reads none of the types, those of `loadDataRepresentation`, and what the class throws.
    @discardableResult
    public func loadObject(
        ofClass type: any NSItemProviderReading.Type,
        completionHandler: @escaping @Sendable ((any NSItemProviderReading)?, (any Error)?) -> Void
    ) -> Progress {
        startObjectLoad(type) { result in
            do { completionHandler(try result.get().value as? any NSItemProviderReading, nil) } catch {
                completionHandler(nil, error)
            }
        }
    }

    /// The same for Swift's values of such classes: `String`, `URL`.
    @discardableResult
    public func loadObject<Value: _ObjectiveCBridgeable & SendableMetatype>(
        ofClass type: Value.Type, completionHandler: @escaping @Sendable (Value?, (any Error)?) -> Void
    ) -> Progress where Value._ObjectiveCType: NSItemProviderReading {
        startObjectLoad(Value._ObjectiveCType.self) { result in
            do { completionHandler(try result.get().value as? Value, nil) } catch { completionHandler(nil, error) }
        }
    }

    /// Whether a registered type is one that the value's class reads.
    public func canLoadObject<Value: _ObjectiveCBridgeable>(ofClass type: Value.Type) -> Bool
    where Value._ObjectiveCType: NSItemProviderReading { canLoadObject(ofClass: Value._ObjectiveCType.self) }

    /// As the form with a completion handler. Cancelling the task cancels the load.
    public func loadObject<Object: NSItemProviderReading>(ofClass type: Object.Type) async throws -> sending Object {
        let loaded = try await load { answer in startObjectLoad(type, answer: answer) }
        guard let object = loaded.value as? Object else {
            throw NSItemProvider.error(.unexpectedValueClassError, "\(type) made an object of another class.")
        }
        return object
    }

    private func readable(by type: any NSItemProviderReading.Type) -> (asked: String, found: String)? {
        for asked in type.readableTypeIdentifiersForItemProvider {
            if let found = representation(for: asked) { return (asked, found.typeIdentifier) }
        }
        return nil
    }

    private func startObjectLoad(
        _ type: any NSItemProviderReading.Type, answer: @escaping PendingLoad.Answer
    ) -> Progress {
        let best = readable(by: type)
        let asked = best?.asked ?? type.readableTypeIdentifiersForItemProvider.first ?? UTType.data.identifier
        let found = best?.found ?? asked
        let isHandled = isHandled(asked)
        // Whoever wants a file's URL wants to open it: the text of it alone would not do.
        let isFile = type is NSURL.Type && UTType.identifier(found, conformsTo: UTType.fileURL.identifier)
        let request = LoadRequest(form: isFile ? .item : .data, expectedClass: NSData.self)
        return startLoad(
            asked, request,
            conversion: { [self] value, progress in
                if isFile, let file = object(value, NamedFile.self) {
                    let url = openableURL(of: file, request.mode, progress)
                    return try type.object(withItemProviderData: Data((url as URL).absoluteString.utf8), typeIdentifier: found)
                }
                let data = try bytes(of: value, typeIdentifier: found, isHandled: isHandled)
                return try type.object(withItemProviderData: data, typeIdentifier: found)
            }, answer: answer)
    }
}
