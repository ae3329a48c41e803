// TodayHost: a host that shows Today widgets: pictures, live views, updates and display modes.

public import ExtensionHost
public import PointMessages

/// Shows Today widgets. One object is one Today view, and knows each widget by its extension's identifier.
///
/// A widget's process runs while the widget is updated or open. Between that, its last picture is shown.
public actor TodayHost {
    /// The sizes of a Today view.
    public struct Layout: Sendable, Hashable {
        /// The width in points.
        public var width: Double
        /// The height of the compact mode, in points; nil where widgets choose their height and there are no modes.
        public var compactHeight: Double?
        /// The largest height of a widget, in points.
        public var largestHeight: Double
        /// The proposed margins, where there are no modes.
        public var margins: TodayMargins?

        /// Makes a layout; each value is described at its property.
        public init(width: Double, compactHeight: Double?, largestHeight: Double, margins: TodayMargins? = nil) {
            (self.width, self.compactHeight) = (width, compactHeight)
            (self.largestHeight, self.margins) = (largestHeight, margins)
        }

        /// The layout from iOS 10 on: two display modes, the compact one 110 points high (from memory).
        public static let modes = Layout(width: 359, compactHeight: 110, largestHeight: 616)
        /// The layout before iOS 10, on the phone of 4.7 inch (observed): no modes.
        public static let free = Layout(
            width: 327, compactHeight: nil, largestHeight: 540.5,
            margins: TodayMargins(top: 0, left: 47, bottom: 39, right: 0))

        /// Returns the layout of a platform, such as `ios-8` or `ios-15`.
        public static func of(profile: String) -> Layout {
            let version = profile.split(separator: "-").last.flatMap { Int($0) } ?? .max
            return profile.hasPrefix("ios-") && version < 10 ? free : modes
        }
    }

    /// A picture of a widget, as the Today view keeps it.
    public struct Snapshot: Sendable, Hashable {
        /// The elements of the view.
        public let view: ViewElement
        /// The height in points at which the widget is shown.
        public let height: Double
        /// Whether a part of the content lies below that height.
        public let isClipped: Bool
        /// Whether the update after it has failed.
        public internal(set) var isStale = false
        /// A digest of the view and the height; equal pictures have equal digests.
        public let digest: String
    }

    /// The state of a widget in the Today view.
    public enum Shown: Sendable, Hashable {
        /// The widget has no picture yet.
        case nothing
        /// The widget's last picture.
        case snapshot(Snapshot)
        /// The widget's live view.
        case live
    }

    /// The result of an update.
    public struct Update: Sendable {
        /// The author's answer.
        public let result: TodayUpdate.Result
        /// The reason of a failure that the author has not chosen.
        public let error: ExtensionHostError?
        /// The picture after the update; nil if there is none.
        public let snapshot: Snapshot?
    }

    private struct Widget {
        var request: ExtensionRequest?
        var isOpen = false
        var snapshot: Snapshot?
        var largest = TodayMode.compact
        var active = TodayMode.compact
        var margins: TodayMargins?
        /// Whether an update, an opening or another step is under way, and the steps that wait for it.
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        var shown: Shown { isOpen ? .live : snapshot.map(Shown.snapshot) ?? .nothing }
    }

    private let host: HostApplication
    private let layout: Layout
    private let store: SnapshotStore?
    private var widgets: [String: Widget] = [:]

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

    /// Returns what the Today view shows of a widget.
    public func shown(_ identifier: String) -> Shown { widget(identifier).shown }

    /// Returns the last picture of a widget.
    public func snapshot(_ identifier: String) -> Snapshot? { widget(identifier).snapshot }

    /// Returns the active display mode of a widget, and the largest that it offers.
    public func modes(_ identifier: String) -> (active: TodayMode, largest: TodayMode) {
        let widget = widget(identifier)
        return (widget.active, widget.largest)
    }

    /// Returns the margins that a widget wants; nil where there are display modes.
    public func margins(_ identifier: String) -> TodayMargins? { widget(identifier).margins }

    /// The request of an open widget, with its live view.
    public func request(_ identifier: String) -> ExtensionRequest? { widgets[identifier]?.request }

    private func widget(_ identifier: String) -> Widget {
        if let widget = widgets[identifier] { return widget }
        var widget = Widget()
        widget.snapshot = store?.read(identifier)
        widgets[identifier] = widget
        return widget
    }

    /// Performs the steps of one widget one after the other, in the order of their calls.
    private func exclusively<Value: Sendable>(
        _ identifier: String, _ body: () async throws -> Value
    ) async throws -> Value {
        if widget(identifier).isBusy {
            await withCheckedContinuation { widgets[identifier]?.waiting.append($0) }
        } else {
            widgets[identifier]?.isBusy = true
        }
        defer {
            // The next step inherits the turn.
            if widgets[identifier]?.waiting.isEmpty == false {
                widgets[identifier]?.waiting.removeFirst().resume()
            } else {
                widgets[identifier]?.isBusy = false
            }
        }
        return try await body()
    }

    // MARK: Updates

    /// Asks a widget for an update, and takes a picture if it has new data.
    ///
    /// A closed widget's process is launched for it, and its request ends afterwards.
    ///
    /// - Throws: errors of `HostApplication.begin`; `CocoaError.userCancelled` after the task was cancelled.
    public func update(_ identifier: String) async throws -> Update {
        try await exclusively(identifier) { try await performUpdate(identifier) }
    }

    private func performUpdate(_ identifier: String) async throws -> Update {
        let isOpen = widget(identifier).isOpen
        let request = try await begin(identifier)
        var result = TodayUpdate.Result.failed
        var failure: ExtensionHostError?
        do {
            result = try await request.call(TodayUpdate()).result
            if result == .newData || (result == .notWritten && widget(identifier).snapshot == nil) {
                keep(try await request.call(TodaySnapshot()), of: identifier)
            }
        } catch let error as ExtensionHostError {
            (result, failure) = (.failed, error)
        } catch {
            if !isOpen { await end(request, identifier) }
            throw error
        }
        if result == .failed, var snapshot = widgets[identifier]?.snapshot {
            snapshot.isStale = true
            widgets[identifier]?.snapshot = snapshot
            store?.write(snapshot, of: identifier)
        }
        if !isOpen { await end(request, identifier) }
        return Update(result: result, error: failure, snapshot: widget(identifier).snapshot)
    }

    private func keep(_ picture: TodayPicture, of identifier: String) {
        guard let snapshot = Snapshot(picture, height: height(picture, of: identifier)) else { return }
        widgets[identifier]?.snapshot = snapshot
        store?.write(snapshot, of: identifier)
    }

    /// Returns the height at which a widget is shown. Its width is always that of the Today view (observed).
    private func height(_ picture: TodayPicture, of identifier: String) -> Double {
        guard let compact = layout.compactHeight else { return min(picture.height, layout.largestHeight) }
        return widgets[identifier]?.active == .expanded
            ? min(max(picture.height, compact), layout.largestHeight) : compact
    }

    // MARK: The live view

    /// Opens a widget: its last picture is shown until the live view replaces it (documented).
    ///
    /// - Throws: errors of `HostApplication.begin` and of the call. The widget is closed then.
    public func open(_ identifier: String) async throws {
        try await exclusively(identifier) {
            guard !widget(identifier).isOpen else { return }
            let request = try await begin(identifier)
            do {
                try await request.call(TodayAppear())
                if widget(identifier).snapshot == nil {
                    keep(try await request.call(TodaySnapshot()), of: identifier)
                }
            } catch {
                await end(request, identifier)
                throw error
            }
            // The widget may have ended meanwhile.
            if widgets[identifier]?.request === request { widgets[identifier]?.isOpen = true }
        }
    }

    /// Closes a widget: its view disappears, and then a picture is taken (documented). A widget that does not answer
    /// leaves its last picture.
    public func close(_ identifier: String) async throws {
        try await exclusively(identifier) {
            guard widget(identifier).isOpen, let request = widgets[identifier]?.request else { return }
            if let picture = try? await request.call(TodayDisappear()) { keep(picture, of: identifier) }
            await end(request, identifier)
        }
    }

    /// Changes the display mode of an open widget.
    ///
    /// - Throws: `ExtensionHostError` `notPermitted` if the widget offers no other mode.
    public func toggle(_ identifier: String) async throws {
        try await exclusively(identifier) {
            guard let request = widgets[identifier]?.request, layout.compactHeight != nil,
                widget(identifier).largest == .expanded
            else {
                throw ExtensionHostError(
                    .notPermitted, "\(identifier) has the compact display mode only",
                    remedy: "Set widgetLargestAvailableDisplayMode to expanded in the widget")
            }
            let mode: TodayMode = widget(identifier).active == .compact ? .expanded : .compact
            widgets[identifier]?.active = mode
            try await request.call(TodayModeChange(mode))
        }
    }

    private func largestChanged(_ mode: TodayMode, _ request: RequestIdentifier, _ identifier: String) {
        guard let current = widgets[identifier]?.request, current.identifier == request else { return }
        widgets[identifier]?.largest = mode
        guard mode == .compact, widgets[identifier]?.active == .expanded else { return }
        widgets[identifier]?.active = .compact
        current.send(TodayModeChange(.compact))
    }

    // MARK: Requests

    /// Returns the widget's request, or begins one.
    private func begin(_ identifier: String) async throws -> ExtensionRequest {
        if let request = widgets[identifier]?.request { return request }
        var handlers = PointHandlers()
        handlers.on(TodayLargestMode.self) { [weak self] message, call in
            await self?.largestChanged(message.mode, call.request, identifier)
            return Nothing()
        }
        let request = try await host.begin(identifier, items: [], handling: handlers)
        widgets[identifier]?.request = request
        // A widget that ends itself, or dies, leaves its last picture.
        Task { [weak self] in
            _ = await request.outcome
            await self?.ended(request, identifier)
        }
        let settings = TodaySettings(
            width: layout.width, compactHeight: layout.compactHeight, largestHeight: layout.largestHeight,
            mode: widget(identifier).active, margins: layout.margins)
        do {
            let reply = try await request.call(settings)
            widgets[identifier]?.margins = reply.margins
            widgets[identifier]?.largest = reply.largest
            if reply.largest == .compact { widgets[identifier]?.active = .compact }
        } catch {
            await end(request, identifier)
            throw error
        }
        return request
    }

    private func end(_ request: ExtensionRequest, _ identifier: String) async {
        ended(request, identifier)
        do { try await request.call(TodayEnd()) } catch { try? await request.cancel() }
        _ = await request.outcome
    }

    private func ended(_ request: ExtensionRequest, _ identifier: String) {
        guard widgets[identifier]?.request === request else { return }
        widgets[identifier]?.request = nil
        widgets[identifier]?.isOpen = false
    }
}
