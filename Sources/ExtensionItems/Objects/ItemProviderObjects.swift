// ItemProviderObjects: values as objects of classes that read and write themselves (spec 1.6, the API of 2017).

public import Foundation
internal import UniformTypeIdentifiers

/// A class whose objects can be made from an item's bytes.
public protocol NSItemProviderReading: NSObjectProtocol, SendableMetatype {
    /// The types that it reads, the best one first.
    static var readableTypeIdentifiersForItemProvider: [String] { get }

    /// Makes an object from bytes. Called on a background thread.
    ///
    /// - Parameters:
    ///   - data: the bytes.
    ///   - typeIdentifier: their registered type, which conforms to one of those above.
    /// - Throws: the error for the item's reader, if the bytes do not match the type.
    static func object(withItemProviderData data: Data, typeIdentifier: String) throws -> Self
}

/// A class whose objects can be turned into bytes for an item.
public protocol NSItemProviderWriting: NSObjectProtocol, SendableMetatype {
    /// The types that its objects can be written as, the best one first.
    static var writableTypeIdentifiersForItemProvider: [String] { get }

    /// The types that this object can be written as; by default those of its class.
    var writableTypeIdentifiersForItemProvider: [String] { get }

    /// Returns the visibility of a type of this object; by default that of the registration.
    func itemProviderVisibilityForRepresentation(withTypeIdentifier typeIdentifier: String)
        -> NSItemProviderRepresentationVisibility?

    /// Writes the object, and passes the bytes on once, from any thread.
    ///
    /// Called on a background thread, when the bytes are loaded.
    func loadData(
        withTypeIdentifier typeIdentifier: String,
        forItemProviderCompletionHandler completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress?
}

extension NSItemProviderWriting {
    /// The types of the object's class.
    public var writableTypeIdentifiersForItemProvider: [String] { Self.writableTypeIdentifiersForItemProvider }

    /// Returns nil: the visibility of the registration.
    public func itemProviderVisibilityForRepresentation(withTypeIdentifier typeIdentifier: String)
        -> NSItemProviderRepresentationVisibility?
    { nil }
}

extension NSItemProvider {
    /// Makes a provider of an object, with every type that it can be written as.
    public convenience init(object: any NSItemProviderWriting) {
        self.init()
        registerObject(object, visibility: .all)
    }

    /// Registers an object with every type that it can be written as.
    ///
    /// The object is written when it is loaded, and must not be changed any more.
    public func registerObject(_ object: any NSItemProviderWriting, visibility: NSItemProviderRepresentationVisibility)
    {
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

    /// Registers an object that the handler makes, with every type that its class can be written as.
    ///
    /// A returned progress is cancelled with the load.
    public func registerObject<Object: NSItemProviderWriting>(
        ofClass type: Object.Type, visibility: NSItemProviderRepresentationVisibility,
        loadHandler:
            @escaping @Sendable (_ completionHandler: @escaping @Sendable (Object?, (any Error)?) -> Void) -> Progress?
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

    /// Loads an object, from the best registered type for its class.
    ///
    /// Returns at once. Cancelling the progress ends the load with `CocoaError.userCancelled`. Errors:
    /// `itemUnavailableError` if the class reads none of the types, those of `loadDataRepresentation`, and those of the
    /// class.
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

    /// Loads a Swift value of such a class: `String`, `URL`.
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

    /// Loads an object. Cancelling the task cancels the load.
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
        // A reader of a file's URL opens the file: the text of the URL alone would not be enough.
        let isFile = type is NSURL.Type && UTType.identifier(found, conformsTo: UTType.fileURL.identifier)
        let request = LoadRequest(form: isFile ? .item : .data, expectedClass: NSData.self)
        return startLoad(
            asked, request,
            conversion: { [self] value, progress in
                if isFile, let file = object(value, NamedFile.self) {
                    let url = openableURL(of: file, request.mode, progress)
                    return try type.object(
                        withItemProviderData: Data((url as URL).absoluteString.utf8), typeIdentifier: found)
                }
                let data = try bytes(of: value, typeIdentifier: found, isHandled: isHandled)
                return try type.object(withItemProviderData: data, typeIdentifier: found)
            }, answer: answer)
    }
}
