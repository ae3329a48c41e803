// ItemProviderLoading: the loading of a provider's values.

public import Foundation
internal import LinuxDescriptors

extension NSItemProvider {
    /// Loads the best match for a type, in the form that its owner registered.
    ///
    /// The value is one of Foundation's objects, which casts to Swift's types as well: `value as? URL`,
    /// `value as? [String: Any]`.
    ///
    /// Returns at once. Cancelling the progress ends the load with `CocoaError.userCancelled`. Apple's form returns
    /// nothing.
    ///
    /// Errors: `itemUnavailableError` if no type conforms or the owner is gone, `unknownError` if the load handler gave
    /// neither value nor error, else the load handler's own.
    @discardableResult
    public func loadItem(
        forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil,
        completionHandler: CompletionHandler?
    ) -> Progress {
        startItemLoad(typeIdentifier, options) { result in
            switch result {
            case .success(let loaded): completionHandler?(loaded.value, nil)
            case .failure(let error): completionHandler?(nil, error)
            }
        }
    }

    /// Loads the best match for a type. Cancelling the task cancels the load: it throws `CocoaError.userCancelled`.
    public func loadItem(forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil) async throws
        -> sending Any?
    {
        try await load { answer in startItemLoad(typeIdentifier, options, answer: answer) }.value
    }

    private func startItemLoad(
        _ typeIdentifier: String, _ options: [AnyHashable: Any]?, answer: @escaping PendingLoad.Answer
    ) -> Progress {
        let request = LoadRequest(options: options)
        return startLoad(
            typeIdentifier, request,
            conversion: { [self] value, progress in
                if let file = object(value, NamedFile.self) {
                    return openableURL(of: file, request.mode, progress)
                }
                return try authorValue(value)
            }, answer: answer)
    }

    /// Loads the best match for a type and converts it to `T`, by the matrix in `Coercion.swift` (spec 1.6).
    ///
    /// `T` is `URL`, `Data`, `String`, `NSAttributedString`, `[String: Any]`, `[Any]`, `FileWrapper` or `ItemImage`.
    ///
    /// Further errors: `unavailableCoercionError` for a value that cannot become a `T`; `unexpectedValueClassError` if
    /// a load handler that knew the expected class made such a value.
    @discardableResult
    public func loadItem<T>(
        forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil, as type: T.Type,
        completionHandler: @escaping @Sendable (T?, (any Error)?) -> Void
    ) -> Progress {
        startTypedLoad(typeIdentifier, options, as: type) { result in
            do { completionHandler(try result.get().value as? T, nil) } catch { completionHandler(nil, error) }
        }
    }

    /// Loads the best match for a type and converts it to `T`.
    public func loadItem<T>(
        forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil, as type: T.Type
    ) async throws -> sending T {
        let loaded = try await load { answer in startTypedLoad(typeIdentifier, options, as: type, answer: answer) }
        guard let value = loaded.value as? T else {
            throw NSItemProvider.error(.unknownError, "There is no \(T.self).")
        }
        return value
    }

    private func startTypedLoad<T>(
        _ typeIdentifier: String, _ options: [AnyHashable: Any]?, as type: T.Type, answer: @escaping PendingLoad.Answer
    ) -> Progress {
        let coercion = Coercion<T>(
            isHandled: isHandled(typeIdentifier), preferredSize: options.flatMap(preferredImageSize(in:)))
        let request = LoadRequest(expectedClass: Coercion<T>.expectedClass, options: options)
        return startLoad(
            typeIdentifier, request,
            conversion: { [self] value, progress in
                if T.self is URL.Type || T.self is NSURL.Type, let file = object(value, NamedFile.self) {
                    return try coercion.value(openableURL(of: file, request.mode, progress))
                }
                return try coercion.value(value)
            }, answer: answer)
    }

    /// Loads the bytes of the best match for a type.
    ///
    /// Data is unchanged, text is in UTF-8, a property list is in binary form. A file gives its contents, for the types
    /// below `public.url` the URL's own text.
    ///
    /// Returns at once. Cancelling the progress ends the load with `CocoaError.userCancelled`.
    @discardableResult
    public func loadDataRepresentation(
        forTypeIdentifier typeIdentifier: String, completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress {
        startDataLoad(typeIdentifier) { result in
            do { completionHandler(try result.get().value as? Data, nil) } catch { completionHandler(nil, error) }
        }
    }

    /// Loads the bytes of the best match for a type. Cancelling the task cancels the load.
    public func loadDataRepresentation(forTypeIdentifier typeIdentifier: String) async throws -> Data {
        try await load { answer in startDataLoad(typeIdentifier, answer: answer) }.value as? Data ?? Data()
    }

    private func startDataLoad(_ typeIdentifier: String, answer: @escaping PendingLoad.Answer) -> Progress {
        startLoad(
            typeIdentifier, LoadRequest(form: .data, expectedClass: NSData.self),
            conversion: dataConversion(typeIdentifier),
            answer: answer)
    }

    /// Returns a conversion of values to `Data`, by the type that the load takes.
    private func dataConversion(_ typeIdentifier: String) -> PendingLoad.Conversion {
        let isHandled = isHandled(typeIdentifier)
        let matched = representation(for: typeIdentifier)?.typeIdentifier ?? typeIdentifier
        return { value, _ in try bytes(of: value, typeIdentifier: matched, isHandled: isHandled) }
    }

    func isHandled(_ typeIdentifier: String) -> Bool {
        if case .item = representation(for: typeIdentifier)?.source { true } else { false }
    }

    /// Waits for a load; cancelling the task cancels it.
    func load(_ start: (@escaping PendingLoad.Answer) -> Progress) async throws -> Handover<Any?> {
        let started = StartedLoad()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                started.set(
                    start { result in
                        started.finish(result)
                        continuation.resume()
                    })
            }
        } onCancel: {
            started.cancel()
        }
        return try started.value()
    }

    /// Starts a load; `answer` is called once, on the concurrent queue, with the value after `conversion`.
    @discardableResult
    func startLoad(
        _ typeIdentifier: String, _ request: LoadRequest = LoadRequest(), conversion: PendingLoad.Conversion? = nil,
        answer: @escaping PendingLoad.Answer
    ) -> Progress {
        let load = PendingLoad(request, conversion: conversion, answer)
        let progress = load.progress
        let found = representation(
            for: typeIdentifier, visibleToOthers: request.isFromOthers,
            fileOptions: request.form == .place ? .openInPlace : [])
        guard let representation = found else {
            let offered = registeredTypeIdentifiers.joined(separator: ", ")
            load.fail(
                .itemUnavailableError,
                "No representation conforms to \(typeIdentifier); there is: \(offered.isEmpty ? "none" : offered).")
            return progress
        }
        request.activity?.enter()
        let queue = if case .remote = representation.source { PendingLoad.questions } else { PendingLoad.queue }
        queue.async {
            defer { request.activity?.leave() }
            guard !load.isAnswered else { return }
            representation.load(request, into: load)
        }
        return progress
    }
}

extension Representation {
    /// Makes the value, or loads it from its owner. Called on a queue of the loads.
    fileprivate func load(_ request: LoadRequest, into load: PendingLoad) {
        switch source {
        case .value(let value): load.succeed(value.value)
        case .sealed(let bytes): load.succeed(bytes)
        case .file(let url):
            load.take(
                url, opens: request.form == .file || request.form == .place, inPlace: fileOptions.contains(.openInPlace)
            )
        case .failed(let error): load.answer(.failure(error))
        case .item(let handler):
            handler({ value, error in load.take(value, error) }, request.expectedClass, request.options)
        case .data(let handler):
            load.adopt(handler { data, error in load.take(data, error) })
        case .files(let handler):
            let inPlace = fileOptions.contains(.openInPlace)
            load.adopt(
                handler { url, isCoordinated, error in
                    if isCoordinated { Unsupported.fileCoordination.tell() }
                    // The file is opened before this returns: the author may remove it then.
                    if request.form == .item, request.isFromOthers, error == nil,
                        let file = url.flatMap({ NamedFile(opening: $0, isMade: !inPlace) })
                    {
                        load.succeed(file)
                    } else if let url, error == nil {
                        load.take(url, opens: request.form != .item, inPlace: inPlace)
                    } else {
                        load.take(nil, error)
                    }
                })
        case .remote(let loader, let provider):
            loader.load(request, of: provider, typeIdentifier, into: load)
        }
    }
}

extension ItemLoader {
    /// Asks the owner for the value, and passes its answer to the load.
    func load(_ request: LoadRequest, of provider: Int, _ typeIdentifier: String, into load: PendingLoad) {
        let question: LoadQuestion
        do {
            question = try LoadQuestion(provider: provider, typeIdentifier: typeIdentifier, request)
        } catch {
            return load.fail(.unexpectedValueClassError, "An option of the load: \(error).", underlying: error)
        }
        let cancel = self.load(
            question,
            progress: { [weak load] completed, total in load?.advance(to: completed, of: total) },
            completion: { result in
                do {
                    load.succeed(try decodeLoaded(result.get()))
                } catch {
                    load.answer(.failure(error))
                }
            })
        load.adopt(cancel: cancel)
    }
}

extension PendingLoad {
    /// Takes the answer of a load handler: an error takes precedence over a value, and there must be one of them.
    func take(_ value: Any?, _ error: (any Error)?) {
        if let error {
            answer(.failure(error))
        } else if let value {
            succeed(foundationValue(value))
        } else {
            fail(.unknownError, "The load handler gave neither an item nor an error.")
        }
    }

    /// Takes a file: its URL, or the file itself, which must exist then.
    fileprivate func take(_ url: URL, opens: Bool, inPlace: Bool) {
        guard opens else { return succeed(url as NSURL) }
        do { succeed(try OpenedFile(url, inPlace: inPlace)) } catch { answer(.failure(error)) }
    }
}
