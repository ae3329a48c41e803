// ItemProviderFiles: the loads of a provider's values as files (spec 1.6).

public import Foundation
internal import LinuxDescriptors
internal import UniformTypeIdentifiers

extension NSItemProvider {
    /// Loads the best match for a type into a temporary file, named as the owner suggests.
    ///
    /// **The file is removed when the completion handler returns**: move, link or read it there. Every value with bytes
    /// can be loaded as a file.
    ///
    /// Returns at once. Cancelling the progress ends the load, the copying too, with `CocoaError.userCancelled`. Errors
    /// as for `loadDataRepresentation`.
    @discardableResult
    public func loadFileRepresentation(
        forTypeIdentifier typeIdentifier: String, completionHandler: @escaping @Sendable (URL?, (any Error)?) -> Void
    ) -> Progress {
        startFileLoad(typeIdentifier, .file) { result in
            switch result {
            case .success(let loaded):
                let file = loaded.value as? TemporaryItemFile
                completionHandler(file?.url, nil)
                file?.remove()
            case .failure(let error): completionHandler(nil, error)
            }
        }
    }

    /// Loads a file for `body`: it is removed when `body` returns or throws. Cancelling the task cancels the load.
    ///
    /// Ours: a URL alone would outlive its file.
    public func loadFileRepresentation<Value: Sendable>(
        forTypeIdentifier typeIdentifier: String, isolation: isolated (any Actor)? = #isolation,
        _ body: (URL) async throws -> Value
    ) async throws -> Value {
        let loaded = try await load { answer in startFileLoad(typeIdentifier, .file, answer: answer) }
        guard let file = loaded.value as? TemporaryItemFile else {
            throw NSItemProvider.error(.unknownError, "There is no file.")
        }
        defer { file.remove() }
        return try await body(file.url)
    }

    /// Loads the best match for a type as the owner's own file if it may be edited in place, else as a copy.
    ///
    /// The flag tells which. The copy stays as long as this provider; the form with a `FileLease` removes it sooner.
    /// Progress and errors as for `loadFileRepresentation`.
    @discardableResult
    public func loadInPlaceFileRepresentation(
        forTypeIdentifier typeIdentifier: String,
        completionHandler: @escaping @Sendable (URL?, Bool, (any Error)?) -> Void
    ) -> Progress {
        loadInPlaceFileRepresentation(forTypeIdentifier: typeIdentifier) { [self] (lease: FileLease?, error) in
            if let lease, !lease.isInPlace { keep(lease) }
            completionHandler(lease?.url, lease?.isInPlace ?? false, error)
        }
    }

    /// Loads with a lease: a copy is removed when the lease is closed or released.
    @discardableResult
    public func loadInPlaceFileRepresentation(
        forTypeIdentifier typeIdentifier: String, leaseHandler: @escaping @Sendable (FileLease?, (any Error)?) -> Void
    ) -> Progress {
        startFileLoad(typeIdentifier, .place) { result in
            do { leaseHandler(try Self.lease(result), nil) } catch { leaseHandler(nil, error) }
        }
    }

    /// Loads with a lease. Cancelling the task cancels the load.
    public func loadInPlaceFileRepresentation(forTypeIdentifier typeIdentifier: String) async throws -> FileLease {
        try Self.lease(.success(try await load { answer in startFileLoad(typeIdentifier, .place, answer: answer) }))
    }

    private static func lease(_ result: Result<Handover<Any?>, any Error>) throws -> FileLease {
        switch try result.get().value {
        case let file as TemporaryItemFile: return FileLease(copy: file)
        case let url as URL: return FileLease(inPlace: url)
        default: throw NSItemProvider.error(.unknownError, "There is no file.")
        }
    }

    private func startFileLoad(
        _ typeIdentifier: String, _ form: LoadForm, answer: @escaping PendingLoad.Answer
    ) -> Progress {
        let request = LoadRequest(form: form)
        let matched = representation(for: typeIdentifier, fileOptions: form == .place ? .openInPlace : [])
        let type = matched?.typeIdentifier ?? typeIdentifier
        let (isHandled, suggested, mode) = (isHandled(typeIdentifier), suggestedName, request.mode)
        let conversion: PendingLoad.Conversion = { value, progress in
            let source = try fileValue(of: value, typeIdentifier: type, isHandled: isHandled)
            if form == .place, case .opened(let file) = source, let url = file.ownURL { return url as NSURL }
            return try temporaryFile(of: source, named: suggested, type, mode, progress)
        }
        return startLoad(typeIdentifier, request, conversion: conversion, answer: answer)
    }
}

extension NSItemProvider {
    /// Returns a URL that the reader can open: the file's own, or that of a copy that lives as long as this provider.
    ///
    /// A file that a load handler made is always copied, because its owner may remove it. If no copy can be made, the
    /// file's own URL is returned, because some readers need its name only.
    func openableURL(of file: NamedFile, _ mode: ItemMode, _ progress: Progress) -> NSURL {
        guard file.isToBeOpened, let passed = file.passed, file.isMade || !passed.isHere((file.url as URL).path) else {
            return file.url
        }
        // A second load gives the same copy, unless the reader has moved it away.
        if let known = copy(of: passed.status), FileKind(of: known) == .regular { return known as NSURL }
        // The copy has the owner's name; the empty type adds no extension to it.
        guard let copy = try? temporaryFile(of: .opened(passed), named: passed.name, "", mode, progress) else {
            return file.url
        }
        keep(FileLease(copy: copy), of: passed.status)
        return copy.url as NSURL
    }
}

/// The content of a temporary file.
enum FileValue {
    case opened(OpenedFile)
    case data(Data)
}

/// Converts a loaded value to the content of a file.
///
/// With `urlsAreText` the URL of a file is text if the type is a URL's.
func fileValue(of loaded: Any?, typeIdentifier: String, isHandled: Bool, urlsAreText: Bool = false) throws -> FileValue
{
    if let file = object(loaded, OpenedFile.self) { return .opened(file) }
    let isText = urlsAreText && UTType.identifier(typeIdentifier, conformsTo: UTType.url.identifier)
    if !isText, let returned = object(loaded, NamedFile.self) { return .opened(try returned.file) }
    if !isText, swiftData(loaded) == nil, let url = loaded as? URL, url.isFileURL {
        return .opened(try OpenedFile(url, inPlace: false))
    }
    return .data(try bytes(of: loaded, typeIdentifier: typeIdentifier, isHandled: isHandled))
}

/// Whether the bytes of a loaded value are in a file.
func isFile(_ loaded: Any?) -> Bool {
    object(loaded, OpenedFile.self) != nil || object(loaded, NamedFile.self) != nil
        || (loaded as? URL)?.isFileURL == true
}

private func temporaryFile(
    of source: FileValue, named suggested: String?, _ typeIdentifier: String, _ mode: ItemMode, _ progress: Progress
) throws -> TemporaryItemFile {
    do {
        switch source {
        case .data(let data):
            return try TemporaryItemFile(
                name: itemFileName(suggested: suggested, typeIdentifier: typeIdentifier), mode: mode
            ) {
                target in
                try data.withUnsafeBytes { try write($0, to: target) }
            }
        case .opened(let file):
            try file.checkWritten()
            let name = itemFileName(suggested: suggested ?? file.name, typeIdentifier: typeIdentifier)
            return try TemporaryItemFile(name: name, mode: mode) { target in
                let size = file.status.size
                let copied = try copyFile(from: file.descriptor.raw, to: target, size: size) { done in
                    progress.totalUnitCount = Int64(size) + 1
                    progress.completedUnitCount = Int64(done)
                    return !progress.isCancelled
                }
                guard copied == size else {
                    throw NSItemProvider.error(
                        .itemUnavailableError,
                        "\(file.label) became shorter while it was read: \(copied) of \(size) bytes.")
                }
            }
        }
    } catch let error as SystemError {
        throw NSItemProvider.error(.itemUnavailableError, "The temporary file could not be made.", underlying: error)
    }
}
