// ItemProviderPreview: the load of a provider's preview image (spec 1.6).

internal import ExtensionWire
public import Foundation
internal import UniformTypeIdentifiers

extension NSItemProvider {
    /// Loads a small image: that of `previewImageHandler`, else the freedesktop thumbnail of a file.
    ///
    /// The thumbnail comes from the cache or from an installed thumbnailer. For a host's item the host makes both.
    ///
    /// The value is data in an image format, a file's URL, or an `ItemImage`. `options` may hold the wanted size in
    /// pixels under `NSItemProviderPreferredImageSizeKey`. Returns at once. Errors: `itemUnavailableError` if there is
    /// no preview, `unexpectedValueClassError` if the handler made something else, `CocoaError.userCancelled`.
    /// `ExtensionHostError` `notSimulated` for an item that an extension returned: its handler stayed in its process.
    @discardableResult
    public func loadPreviewImage(options: [AnyHashable: Any]? = nil, completionHandler: CompletionHandler?) -> Progress
    {
        startPreviewLoad(LoadRequest(form: .preview, options: options)) { result in
            switch result {
            case .success(let loaded): completionHandler?(loaded.value, nil)
            case .failure(let error): completionHandler?(nil, error)
            }
        }
    }

    /// Loads a small image. Cancelling the task cancels the load.
    public func loadPreviewImage(options: [AnyHashable: Any]? = nil) async throws -> sending Any {
        let request = LoadRequest(form: .preview, options: options)
        return try await load { answer in startPreviewLoad(request, answer: answer) }.value as Any
    }

    func startPreviewLoad(_ request: LoadRequest, answer: @escaping PendingLoad.Answer) -> Progress {
        var request = request
        request.expectedClass = ItemImage.self
        let size = request.options.flatMap(preferredImageSize(in:))
        let representations = representations.filter { !request.isFromOthers || $0.isVisibleToOthers }
        let load = PendingLoad(request, conversion: { value, _ in try preview(value, size) }, answer)
        let (asked, handler, mine, isReturned) = (request, previewImageHandler, load, isReturned)
        asked.activity?.enter()
        PendingLoad.queue.async {
            defer { asked.activity?.leave() }
            guard !mine.isAnswered else { return }
            if let handler {
                return handler({ value, error in mine.take(value, error) }, asked.expectedClass, asked.options)
            }
            if isReturned, !representations.contains(where: \.isReturnedFile) {
                return mine.answer(.failure(ExtensionHostError.noPreviewOfReturned))
            }
            if let (loader, number) = representations.lazy.compactMap(\.remoteOwner).first {
                return loader.load(asked, of: number, UTType.image.identifier, into: mine)
            }
            guard let file = representations.lazy.compactMap(\.presentFile).first else {
                return mine.fail(
                    .itemUnavailableError, "There is no preview: no handler makes one, and the item is not a file.")
            }
            // The queue makes one at a time: a thumbnailer takes a processor, and its wait a thread.
            asked.activity?.enter()
            Thumbnail.queue.async {
                defer { asked.activity?.leave() }
                guard !mine.isAnswered else { return }
                Thumbnail.find(of: file, size: size, isWanted: { !mine.isAnswered }) { result in
                    switch result {
                    case .success(let image): mine.succeed(image)
                    case .failure(let error): mine.answer(.failure(error))
                    }
                }
            }
        }
        return load.progress
    }
}

extension ExtensionHostError {
    fileprivate static let noPreviewOfReturned = ExtensionHostError(
        .notSimulated, "returned items have no previews",
        remedy: "Return the image as an attachment, or make a preview from the item's data")
}

extension Representation {
    fileprivate var remoteOwner: (any ItemLoader, Int)? {
        if case .remote(let loader, let provider) = source { (loader, provider) } else { nil }
    }

    /// Whether it is a returned file. It has no thumbnail either, and its error is that of other files without one.
    fileprivate var isReturnedFile: Bool {
        if case .value(let value) = source { object(value.value, NamedFile.self) != nil } else { false }
    }

    /// The file behind it, if that is known without running the author's code.
    fileprivate var presentFile: URL? {
        switch source {
        case .file(let url): url
        case .value(let value):
            // A file that an extension returned is excluded: a thumbnailer would read what the extension named.
            object(value.value, NamedFile.self) == nil ? (value.value as? URL).flatMap { $0.isFileURL ? $0 : nil } : nil
        default: nil
        }
    }
}

/// Converts a value that may represent an image.
private func preview(_ value: Any?, _ size: CGSize?) throws -> Any {
    let value = try authorValue(value)
    if let data = swiftData(value) { return data }
    switch value {
    case let image as ItemImage: return image
    case let url as URL where url.isFileURL: return foundationValue(url)
    case let other:
        throw NSItemProvider.error(
            .unexpectedValueClassError,
            "A preview is data, a file's URL or an ItemImage; there is \(other.map { "\(type(of: $0))" } ?? "no value")."
        )
    }
}
