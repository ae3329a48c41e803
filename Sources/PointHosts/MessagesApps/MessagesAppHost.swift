// MessagesAppHost: a host that plays the Messages app for iMessage apps.

public import ExtensionHost
internal import ExtensionPointKit
internal import ExtensionProtocol
public import Foundation
public import PointMessages

/// Opens iMessage apps in conversations, as Messages does. Safe to use from any task.
public struct MessagesAppHost: Sendable {
    /// The extension point.
    public static let point = "com.apple.message-payload-provider"

    /// The sizes of the views in points (ours).
    public struct Sizes: Sendable, Hashable {
        /// The size of the view in the place of the keyboard.
        public var compact = CGSize(width: 375, height: 260)
        /// The size of the view that fills the screen.
        public var expanded = CGSize(width: 375, height: 616)
        /// The largest size of a view in the transcript.
        public var transcript = CGSize(width: 263, height: 400)

        /// Makes the sizes of a small telephone.
        public init() {}

        func view(_ style: PayloadStyle) -> PayloadView {
            let size =
                switch style {
                case .compact, .unrecognized: compact
                case .expanded: expanded
                case .transcript: transcript
                }
            return PayloadView(style: style, width: size.width, height: size.height)
        }
    }

    private let host: HostApplication
    private let sizes: Sizes

    /// - Parameters:
    ///   - host: the host's connection.
    ///   - sizes: the sizes of the views.
    public init(_ host: HostApplication, sizes: Sizes = Sizes()) { (self.host, self.sizes) = (host, sizes) }

    /// Opens an extension. It returns when the extension is active, and what it has asked for meanwhile is done.
    ///
    /// - Parameters:
    ///   - identifier: the extension.
    ///   - conversation: the conversation.
    ///   - style: the style; nil: `expanded` with a selected message, else `compact`. `transcript` shows a message
    ///     whose layout is live, and needs it as `entry`.
    ///   - entry: the number of the entry of the transcript that the person has selected; nil: none.
    ///   - isMedia: whether the extension is shown over a photo or the camera.
    /// - Throws: `ExtensionHostError` `noSuchExtension`; `invalidArgument` for an entry or a style that is not
    ///   possible; errors of `HostApplication.begin` and the call.
    public func open(
        _ identifier: String, in conversation: MessagesConversation, style: PayloadStyle? = nil,
        selecting entry: Int? = nil, isMedia: Bool = false
    ) async throws -> MessagesAppSession {
        guard try await host.wholeDeclaration(of: identifier).point == Self.point else {
            throw ExtensionHostError(.noSuchExtension, "\(identifier) is no iMessage app")
        }
        let selected = try entry.map { try MessagesAppSession.entry($0, in: conversation) }
        let style = style ?? (selected == nil ? .compact : .expanded)
        if style == .transcript, selected?.message?.layout?.isLive != true {
            throw ExtensionHostError(
                .invalidArgument, "only a message with a live layout has a view in the transcript",
                remedy: "Select such a message, or use compact or expanded")
        }
        let message = OpenPayloadApp(
            view: sizes.view(style), isMedia: isMedia, local: conversation.local.uuidString,
            remotes: conversation.remotes.map(\.uuidString), selected: selected.map { $0.payload })
        let progress = MessagesAppProgress(conversation, sizes, message)
        defer { progress.release() }
        let request = try await host.begin(identifier, items: [], handling: progress.handlers)
        progress.follow(request)
        do {
            progress.adopt(try await request.call(message))
            progress.release()
            await progress.settle()
            return MessagesAppSession(request, conversation, progress)
        } catch {
            try? await request.cancel()
            // The reason why there is no view says more than the failed call.
            switch await request.outcome {
            case .refused: throw await request.explanation ?? error
            case .cancelled(.cancelledByExtension, let reason): throw ExtensionHostError(crossed: reason) ?? reason
            default: throw error
            }
        }
    }
}

extension MessagesConversation.Entry {
    /// The message in the form that travels. An entry with another content has none.
    var payload: PayloadMessage {
        (message ?? MessagesMessage()).payload(from: sender, isPending: false)
    }
}
