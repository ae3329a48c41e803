// ItemProviderTypes: the same with UTType in place of identifiers (the API of 2022).

public import Foundation
public import UniformTypeIdentifiers

extension NSItemProvider {
    /// The types on offer that are declared somewhere, or dynamic, in the order of registration.
    public var registeredContentTypes: [UTType] { registeredTypeIdentifiers.compactMap { UTType($0) } }

    /// Those that readers may work on in place.
    public var registeredContentTypesForOpenInPlace: [UTType] {
        registeredTypeIdentifiers(fileOptions: .openInPlace).compactMap { UTType($0) }
    }

    /// Those that are `contentType` or stand below it.
    public func registeredContentTypes(conformingTo contentType: UTType) -> [UTType] {
        registeredContentTypes.filter { $0.conforms(to: contentType) }
    }

    /// As `hasItemConformingToTypeIdentifier`. Ours.
    public func hasItemConforming(to contentType: UTType) -> Bool { hasItemConformingToTypeIdentifier(contentType.identifier) }

    /// As `registerDataRepresentation(forTypeIdentifier:visibility:loadHandler:)`.
    public func registerDataRepresentation(
        for contentType: UTType, visibility: NSItemProviderRepresentationVisibility = .all,
        loadHandler: @escaping DataLoadHandler
    ) {
        registerDataRepresentation(forTypeIdentifier: contentType.identifier, visibility: visibility, loadHandler: loadHandler)
    }

    /// As `registerFileRepresentation(forTypeIdentifier:fileOptions:visibility:loadHandler:)`.
    public func registerFileRepresentation(
        for contentType: UTType, visibility: NSItemProviderRepresentationVisibility = .all, openInPlace: Bool = false,
        loadHandler: @escaping FileLoadHandler
    ) {
        registerFileRepresentation(
            forTypeIdentifier: contentType.identifier, fileOptions: openInPlace ? .openInPlace : [], visibility: visibility,
            loadHandler: loadHandler)
    }

    /// As `loadDataRepresentation(forTypeIdentifier:completionHandler:)`.
    @discardableResult
    public func loadDataRepresentation(
        for contentType: UTType, completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress {
        loadDataRepresentation(forTypeIdentifier: contentType.identifier, completionHandler: completionHandler)
    }

    /// As the form with a completion handler.
    public func loadDataRepresentation(for contentType: UTType) async throws -> Data {
        try await loadDataRepresentation(forTypeIdentifier: contentType.identifier)
    }

    /// As `loadFileRepresentation`, or with `openInPlace` as `loadInPlaceFileRepresentation`; the flag says whether the file is its
    /// owner's own.
    @discardableResult
    public func loadFileRepresentation(
        for contentType: UTType, openInPlace: Bool = false,
        completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
    ) -> Progress {
        guard !openInPlace else {
            return loadInPlaceFileRepresentation(
                forTypeIdentifier: contentType.identifier, completionHandler: completionHandler)
        }
        return loadFileRepresentation(forTypeIdentifier: contentType.identifier) { completionHandler($0, false, $1) }
    }
}
