// TodayHost: a host that shows Today widgets: pictures, live views, updates and display modes.

public import ExtensionHost
public import PointMessages

/// Shows Today widgets. One object is one Today view, and knows each widget by its extension's identifier.
///
/// A widget's process runs while the widget is updated or open. Between that, its last picture is shown.
public actor TodayHost {
    private struct Widget {
        var request: ExtensionRequest?
        var isOpen = false
        var snapshot: Snapshot?
        var modes = TodayModes()
        var margins: TodayMargins?
        /// The wait for the widget's word that it has no content, while it is open.
        var following: Task<Void, Never>?
        /// Whether an update, an opening or another step is under way, and the steps that wait for it.
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The extension point of widgets.
    public static let point = "com.apple.widget-extension"

    private let host: HostApplication
    private let layout: Layout
    private let store: SnapshotStore?
    private var known: [String: Widget] = [:]

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - layout: the sizes.
    ///   - store: a folder for the pictures; nil to keep them in memory.
    public init(_ host: HostApplication, layout: Layout = .modes, store: String? = nil) {
        self.host = host
        self.layout = layout
        self.store = store.map(SnapshotStore.init)
    }

    // MARK: What is shown

    /// Returns the Today extensions that the user has not switched off, in the order of their identifiers.
    ///
    /// Without those that are hidden for a pause, and those without content.
    ///
    /// - Throws: `ExtensionHostError` `connectionLost`.
    public func widgets() async throws -> [FoundExtension] {
        let hidden = try await hidden()
        var widgets: [FoundExtension] = []
        for found in try await host.extensions() where found.point == Self.point && !hidden.contains(found.identifier) {
            if try await hasContent(found.identifier) { widgets.append(found) }
        }
        return widgets
    }

    /// Returns whether a widget has content: true, unless it or its app has said otherwise
    /// (`NCWidgetController.setHasContent`).
    ///
    /// A widget without content loses its picture.
    ///
    /// - Throws: `ExtensionHostError` `connectionLost`.
    public func hasContent(_ identifier: String) async throws -> Bool {
        let annotations = try await host.annotations(of: identifier)
        guard annotations[TodayAnnotation.hasContent]?.plist.boolean == false else { return true }
        if widget(identifier).snapshot != nil {
            known[identifier]?.snapshot = nil
            try store?.remove(identifier)
        }
        return false
    }

    /// Returns what the Today view shows of a widget.
    ///
    /// - Throws: `ExtensionHostError` `connectionLost`.
    public func shown(_ identifier: String) async throws -> Shown {
        guard try await hasContent(identifier) else { return .withoutContent }
        let isHidden = try await hidden().contains(identifier)
        let widget = widget(identifier)
        if widget.isOpen { return .live }
        return isHidden ? .hidden : widget.snapshot.map(Shown.snapshot) ?? .nothing
    }

    /// Returns the extensions that the daemon does not launch for a pause.
    private func hidden() async throws -> Set<String> {
        Set(try await host.breakers().filter { $0.state != "open" || $0.delay > 0 }.map(\.extensionIdentifier))
    }

    /// The last picture of each widget, by its identifier: those in the folder, too.
    public var snapshots: [String: Snapshot] {
        (store?.all ?? [:]).merging(known.compactMapValues(\.snapshot)) { $1 }
    }

    /// Returns the last picture of a widget.
    public func snapshot(_ identifier: String) -> Snapshot? { widget(identifier).snapshot }

    /// Returns the active display mode of a widget, and the largest that it offers; of a closed widget those of its last
    /// session.
    public func modes(_ identifier: String) -> (active: TodayMode, largest: TodayMode) {
        let modes = widget(identifier).modes
        // A mode of a newer widget counts as the compact one.
        return (modes.active, modes.largest == .expanded ? .expanded : .compact)
    }

    /// Returns the margins that a widget wants; nil where there are display modes.
    public func margins(_ identifier: String) -> TodayMargins? { widget(identifier).margins }

    /// The request of an open widget, with its live view.
    public func request(_ identifier: String) -> ExtensionRequest? { widget(identifier).request }

    private func widget(_ identifier: String) -> Widget {
        // The request may have its outcome before `ended` has been called for it.
        if let request = known[identifier]?.request, !request.isOpen { ended(request, identifier) }
        if let widget = known[identifier] { return widget }
        var widget = Widget()
        widget.snapshot = store?.read(identifier)
        known[identifier] = widget
        return widget
    }

    /// Performs the steps of one widget one after the other, in the order of their calls.
    private func exclusively<Value: Sendable>(
        _ identifier: String, _ body: () async throws -> Value
    ) async throws -> Value {
        // The body may run after a suspension, if the task prefers an executor. So it looks itself.
        await withCheckedContinuation { turn in
            if widget(identifier).isBusy {
                known[identifier]?.waiting.append(turn)
            } else {
                known[identifier]?.isBusy = true
                turn.resume()
            }
        }
        defer {
            // The next step inherits the turn.
            if known[identifier]?.waiting.isEmpty == false {
                known[identifier]?.waiting.removeFirst().resume()
            } else {
                known[identifier]?.isBusy = false
            }
        }
        return try await body()
    }

    // MARK: Updates

    /// Asks a widget for an update, and takes a picture if it has new data.
    ///
    /// A closed widget's process is launched for it, and its request ends afterwards. A widget without content is not
    /// asked.
    ///
    /// - Throws: errors of `HostApplication.begin`; `ExtensionHostError` `breakerOpen` for a hidden widget,
    ///   `stateUnavailable` if the picture cannot be stored; `CocoaError.userCancelled` after the task was cancelled.
    public func update(_ identifier: String) async throws -> Update {
        try await exclusively(identifier) { try await performUpdate(identifier) }
    }

    private func performUpdate(_ identifier: String) async throws -> Update {
        guard try await hasContent(identifier) else { return Update(result: nil, error: nil, snapshot: nil) }
        let isOpen = widget(identifier).isOpen
        let request = try await begin(identifier)
        do {
            let (result, failure) = try await updated(identifier, request)
            if result == .failed, var snapshot = known[identifier]?.snapshot {
                snapshot.isStale = true
                try keep(snapshot, of: identifier)
            }
            if !isOpen { await end(request, identifier, after: failure) }
            // The update may have said that there is no content.
            _ = try await hasContent(identifier)
            return Update(result: result, error: failure, snapshot: widget(identifier).snapshot)
        } catch {
            if !isOpen { await end(request, identifier, after: error) }
            throw error
        }
    }

    private func updated(
        _ identifier: String, _ request: ExtensionRequest
    ) async throws -> (TodayUpdate.Result, ExtensionHostError?) {
        let result: TodayUpdate.Result
        let picture: TodayPicture?
        do {
            result = try await request.call(TodayUpdate()).result
            if result == .unrecognized {
                throw ExtensionHostError(
                    .notImplemented, "\(identifier) returned a result that this host does not know",
                    remedy: "Build the host with the newer kit that the widget has")
            }
            picture = result == .newData ? try await request.call(TodaySnapshot()) : nil
        } catch let error as ExtensionHostError {
            return (.failed, error)
        }
        if let picture { try keep(picture, of: identifier) }
        return (result, nil)
    }

    private func keep(_ picture: TodayPicture, of identifier: String) throws {
        // The width is always that of the Today view (observed).
        let height = settings(.compact).height(preferred: picture.height, in: picture.mode)
        guard let snapshot = Snapshot(picture, height: height) else { return }
        try keep(snapshot, of: identifier)
    }

    private func keep(_ snapshot: Snapshot, of identifier: String) throws {
        known[identifier]?.snapshot = snapshot
        try store?.write(snapshot, of: identifier)
    }

    // MARK: The live view

    /// Opens the Today view: each widget of `widgets()`, in their order.
    ///
    /// - Returns: the errors of the widgets that stay closed, by their identifiers.
    /// - Throws: `ExtensionHostError` `connectionLost` if the widgets cannot be listed.
    @discardableResult public func open() async throws -> [String: any Error] {
        var errors: [String: any Error] = [:]
        for widget in try await widgets() {
            do { try await open(widget.identifier) } catch { errors[widget.identifier] = error }
        }
        return errors
    }

    /// Closes the Today view: each open widget.
    ///
    /// - Returns: the errors of the widgets whose picture cannot be stored, by their identifiers.
    @discardableResult public func close() async -> [String: any Error] {
        var errors: [String: any Error] = [:]
        for identifier in known.keys.sorted() {
            do { try await close(identifier) } catch { errors[identifier] = error }
        }
        return errors
    }

    /// Opens a widget: its last picture is shown until the live view replaces it (documented).
    ///
    /// A widget that says later that it has no content is closed then.
    ///
    /// - Throws: errors of `HostApplication.begin` and of the call; `ExtensionHostError` `breakerOpen` for a hidden
    ///   widget, `notPermitted` for one without content, `stateUnavailable` if its first picture cannot be stored. The
    ///   widget is closed then.
    public func open(_ identifier: String) async throws {
        try await exclusively(identifier) {
            guard !widget(identifier).isOpen else { return }
            guard try await hasContent(identifier) else {
                throw ExtensionHostError(
                    .notPermitted, "\(identifier) has said that it has no content",
                    remedy: "Call setHasContent(true, forWidgetWithBundleIdentifier:) in it or in its app")
            }
            let request = try await begin(identifier)
            do {
                adopt(try await request.call(TodayAppear()), request.identifier, identifier)
                if widget(identifier).snapshot == nil {
                    try keep(try await request.call(TodaySnapshot()), of: identifier)
                }
            } catch {
                await end(request, identifier, after: error)
                throw error
            }
            // The widget may have ended meanwhile.
            guard widget(identifier).request === request else { return }
            known[identifier]?.isOpen = true
            known[identifier]?.following = Task { [weak self, host] in
                // Without its daemon the host has no widgets.
                guard
                    let _ = try? await host.followAnnotations(of: identifier).first(where: {
                        $0[TodayAnnotation.hasContent]?.plist.boolean == false
                    })
                else { return }
                await self?.leave(identifier)
            }
        }
    }

    /// Closes a widget that has no content any more.
    private func leave(_ identifier: String) async {
        // The end of the session must not cancel this task.
        known[identifier]?.following = nil
        try? await close(identifier)
        _ = try? await hasContent(identifier)
    }

    /// Closes a widget: its view disappears, and then a picture is taken (documented). A widget that does not answer
    /// within 5 s leaves its last picture, and its request is cancelled.
    ///
    /// - Throws: `ExtensionHostError` `stateUnavailable` if the picture cannot be stored. The widget is closed all the
    ///   same.
    public func close(_ identifier: String) async throws {
        try await exclusively(identifier) {
            let widget = widget(identifier)
            guard widget.isOpen, let request = widget.request else { return }
            let picture: TodayPicture
            do {
                picture = try await request.call(TodayDisappear())
            } catch {
                return await end(request, identifier, after: error)
            }
            await end(request, identifier)
            try keep(picture, of: identifier)
        }
    }

    /// Changes the display mode of an open widget.
    ///
    /// - Throws: `ExtensionHostError` `notPermitted` if the widget offers no other mode; errors of the call.
    public func toggle(_ identifier: String) async throws {
        try await exclusively(identifier) {
            guard let request = widget(identifier).request, layout.compactHeight != nil,
                widget(identifier).modes.largest == .expanded
            else {
                throw ExtensionHostError(
                    .notPermitted, "\(identifier) has the compact display mode only",
                    remedy: "Set widgetLargestAvailableDisplayMode to expanded in the widget")
            }
            let mode: TodayMode = widget(identifier).modes.active == .compact ? .expanded : .compact
            adopt(try await request.call(TodayModeChange(mode)), request.identifier, identifier)
        }
    }

    private func largestChanged(_ modes: TodayModes, _ request: RequestIdentifier, _ identifier: String) {
        let before = widget(identifier).modes.active
        adopt(modes, request, identifier)
        guard before == .expanded, widget(identifier).modes.active == .compact else { return }
        known[identifier]?.request?.send(TodayModeChange(.compact))
    }

    /// Adopts the modes of the widget's present session, unless newer ones are known.
    private func adopt(_ modes: TodayModes, _ request: RequestIdentifier, _ identifier: String) {
        guard let widget = known[identifier], widget.request?.identifier == request,
            modes.number >= widget.modes.number
        else { return }
        known[identifier]?.modes = modes
    }

    // MARK: Requests

    /// Returns the widget's request, or begins one.
    private func begin(_ identifier: String) async throws -> ExtensionRequest {
        if let request = widget(identifier).request { return request }
        var handlers = PointHandlers()
        handlers.on(TodayLargestMode.self) { [weak self] message, call in
            await self?.largestChanged(message.modes, call.request, identifier)
            return Nothing()
        }
        let request = try await host.begin(identifier, items: [], handling: handlers)
        let chosen = widget(identifier).modes.chosen
        known[identifier]?.request = request
        // Each session counts the changes of its modes anew.
        known[identifier]?.modes = TodayModes()
        // A widget that ends itself, or dies, leaves its last picture.
        Task { [weak self] in
            _ = await request.outcome
            await self?.ended(request, identifier)
        }
        do {
            let reply = try await request.call(settings(chosen))
            known[identifier]?.margins = reply.margins
            adopt(reply.modes, request.identifier, identifier)
        } catch {
            known[identifier]?.modes.begin(chosen: chosen)
            await end(request, identifier, after: error)
            // The reason why there is no widget to call says more than the failed call.
            let outcome = await request.outcome
            switch outcome {
            case .refused: throw await request.explanation ?? error
            case .cancelled(.cancelledByExtension, let reason): throw reason
            default: throw error
            }
        }
        return request
    }

    private func settings(_ mode: TodayMode) -> TodaySettings {
        TodaySettings(
            width: layout.width, compactHeight: layout.compactHeight, largestHeight: layout.largestHeight, mode: mode,
            margins: layout.margins)
    }

    private func end(_ request: ExtensionRequest, _ identifier: String, after failure: (any Error)? = nil) async {
        ended(request, identifier)
        // A widget that hangs gets no more calls.
        var isEnding = false
        if (failure as? ExtensionHostError)?.code != .timedOut {
            isEnding = (try? await request.call(TodayEnd())) != nil
        }
        if !isEnding { try? await request.cancel() }
        // The daemon bounds the time in which a widget has to complete after its last call.
        _ = await request.outcome
    }

    private func ended(_ request: ExtensionRequest, _ identifier: String) {
        guard known[identifier]?.request === request else { return }
        known[identifier]?.request = nil
        known[identifier]?.isOpen = false
        known[identifier]?.following?.cancel()
        known[identifier]?.following = nil
    }
}
