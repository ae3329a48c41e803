// ItemProviderLoading: getting a provider's values.

public import Foundation

extension NSItemProvider {
    /// Loads the best match for a type, in the form its owner registered. The value is one of Foundation's objects, which
    /// casts to Swift's types as well: `value as? URL`, `value as? [String: Any]`.
    ///
    /// Errors: `itemUnavailableError` when nothing conforms or the owner is gone, `unknownError` when the load handler gave
    /// neither value nor error, else the load handler's own.
    public func loadItem(
        forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil, completionHandler: CompletionHandler?
    ) {
        startLoad(typeIdentifier, LoadRequest(options: options)) { result in
            switch result {
            case .success(let loaded): completionHandler?(loaded.value, nil)
            case .failure(let error): completionHandler?(nil, error)
            }
        }
    }

    /// As the form with a completion handler. Cancelling the task cancels the load: it throws `CocoaError.userCancelled`.
    public func loadItem(forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil) async throws
        -> sending Any?
    {
        try await load(typeIdentifier, LoadRequest(options: options)).value
    }

    /// Loads the best match for a type and turns it into `T`: `URL`, `Data`, `String`, `NSAttributedString`, `[String: Any]`
    /// or `[Any]`, by the matrix in `Coercion.swift` (spec 1.6).
    ///
    /// Further errors: `unavailableCoercionError` for a value that cannot become a `T`; `unexpectedValueClassError` when a
    /// load handler, told the expected class, made such a value.
    public func loadItem<T>(
        forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil, as type: T.Type,
        completionHandler: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        let coercion = Coercion<T>(isHandled: isHandled(typeIdentifier))
        startLoad(typeIdentifier, LoadRequest(expectedClass: Coercion<T>.expectedClass, options: options)) { result in
            do { completionHandler(try coercion.value(result.get().value), nil) } catch { completionHandler(nil, error) }
        }
    }

    /// As the form with a completion handler.
    public func loadItem<T>(
        forTypeIdentifier typeIdentifier: String, options: [AnyHashable: Any]? = nil, as type: T.Type
    ) async throws -> sending T {
        let coercion = Coercion<T>(isHandled: isHandled(typeIdentifier))
        let loaded = try await load(typeIdentifier, LoadRequest(expectedClass: Coercion<T>.expectedClass, options: options))
        return try coercion.value(loaded.value)
    }

    /// Loads the bytes of the best match for a type: data as it is, text in UTF-8, a file's contents (of the types below
    /// `public.url` the URL's own text), a property list in binary form.
    ///
    /// Returns at once. Cancelling the progress ends the load with `CocoaError.userCancelled`.
    @discardableResult
    public func loadDataRepresentation(
        forTypeIdentifier typeIdentifier: String, completionHandler: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) -> Progress {
        let isHandled = isHandled(typeIdentifier)
        let matched = representation(for: typeIdentifier)?.typeIdentifier ?? typeIdentifier
        return startLoad(typeIdentifier, LoadRequest(expectedClass: NSData.self)) { result in
            do {
                let bytes = try bytes(of: result.get().value, typeIdentifier: matched, isHandled: isHandled)
                completionHandler(bytes, nil)
            } catch {
                completionHandler(nil, error)
            }
        }
    }

    private func isHandled(_ typeIdentifier: String) -> Bool {
        if case .item = representation(for: typeIdentifier)?.source { true } else { false }
    }

    private func load(_ typeIdentifier: String, _ request: LoadRequest) async throws -> Handover<Any?> {
        let started = StartedLoad()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                started.set(startLoad(typeIdentifier, request) { continuation.resume(with: $0) })
            }
        } onCancel: {
            started.cancel()
        }
    }

    /// Starts a load; `answer` is called once, on the concurrent queue. `visibleToOthers` leaves out representations of this
    /// process alone: the load is another process's.
    @discardableResult
    func startLoad(
        _ typeIdentifier: String, _ request: LoadRequest = LoadRequest(), visibleToOthers: Bool = false,
        answer: @escaping PendingLoad.Answer
    ) -> Progress {
        let load = PendingLoad(answer)
        let progress = load.progress
        guard let representation = representation(for: typeIdentifier, visibleToOthers: visibleToOthers) else {
            let offered = registeredTypeIdentifiers.joined(separator: ", ")
            load.fail(
                .itemUnavailableError,
                "Nothing here conforms to \(typeIdentifier); there is: \(offered.isEmpty ? "nothing" : offered).")
            return progress
        }
        PendingLoad.queue.async {
            guard !load.isAnswered else { return }
            representation.load(request, into: load)
        }
        return progress
    }
}

/// What a load tells its load handler.
// Unchecked: the options are handed over with the load, and a class is the same in every thread.
struct LoadRequest: @unchecked Sendable {
    var expectedClass: AnyClass?
    var options: [AnyHashable: Any]?
}

extension Representation {
    /// Has the value made. Called on the concurrent queue.
    fileprivate func load(_ request: LoadRequest, into load: PendingLoad) {
        switch source {
        case .value(let value): load.succeed(value.value)
        case .file(let url): load.succeed(url as NSURL)
        case .failed(let error): load.answer(.failure(error))
        case .item(let handler):
            handler({ value, error in load.take(value, error) }, request.expectedClass, request.options)
        case .data(let handler):
            load.adopt(handler { data, error in load.take(data, error) })
        case .remote(let loader, let provider):
            loader.load(provider: provider, typeIdentifier: typeIdentifier) { result in
                do {
                    load.succeed(try decodeValue(result.get()))
                } catch {
                    load.answer(.failure(error))
                }
            }
        }
    }
}

extension PendingLoad {
    /// The answer of a load handler: an error counts before a value, and there must be one of them.
    fileprivate func take(_ value: Any?, _ error: (any Error)?) {
        if let error {
            answer(.failure(error))
        } else if let value {
            succeed(foundationValue(value))
        } else {
            fail(.unknownError, "The load handler gave neither an item nor an error.")
        }
    }
}
