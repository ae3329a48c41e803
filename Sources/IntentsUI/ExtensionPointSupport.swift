// ExtensionPointSupport: the calls of a host that shows an intent, as calls of the author's view controller.

import ExtensionFoundation
import ExtensionPointKit
import ExtensionWire
import Foundation
import Intents
import Locks
import PointFrameworkKit
import PointMessages
import UIKit

/// The framework's half of `com.apple.intents-ui-service`.
final class ExtensionPointSupport: PointFrameworkKit.ExtensionPointSupport {
    init() {}

    /// The view appears after it is configured.
    let showsViewAtBegin = false

    func makePrincipal(_ type: NSObject.Type, _ session: PointSession) throws -> NSObject {
        // A storyboard has the class of its first controller.
        let made = session.makeObject(of: type)
        guard made is any UIViewController & INUIHostedViewControlling else {
            throw ExtensionHostError(
                .principalUnsuitable,
                "\(Swift.type(of: made)) is not a UIViewController that adopts INUIHostedViewControlling",
                remedy: "Adopt the protocol, or name another class in NSExtensionPrincipalClass")
        }
        return made
    }

    /// A view of an intent gets no touches (documented).
    func refusal(of action: String) -> ExtensionHostError? {
        ExtensionHostError(
            .notPermitted, "the view of an intent takes no actions of a person",
            remedy: "Show values only: the system performs a tap (INUIInteractiveBehavior)")
    }

    func perform(_ call: IncomingCall, _ session: PointSession) async throws -> EncodedValue {
        switch call.name {
        case DescribeInteraction.name:
            return try PointEncoder.encode(
                try IntentClasses.describe(try call.decode(DescribeInteraction.self).className, session))
        case ConfigureIntentView.name:
            let view = IntentView(session: session, message: try call.decode(ConfigureIntentView.self))
            return try PointEncoder.encode(try await view.configure())
        case EndIntentView.name:
            await session.hideView()
            return try PointEncoder.encode(Nothing())
        default: throw ExtensionHostError(.notImplemented, "IntentsUI has no call \(call.name)")
        }
    }
}

/// The framework's state of one view. Safe to use from any thread.
final class IntentViewState: Sendable {
    struct Values {
        var least = CGSize.zero
        var most = CGSize.zero
        /// The parameters that the host shows, in words.
        var parameters = ""
    }

    let values = Mutex(Values())

    private init() {}

    static func of(_ session: PointSession) -> IntentViewState {
        session.state(IntentViewState.self) { IntentViewState() }
    }

    static func of(_ context: NSExtensionContext) -> IntentViewState? { PointSession.of(context).map { of($0) } }
}

/// The author's view controller, which lives on the main actor, with a call to configure it.
private struct IntentView: Sendable {
    typealias Reply = ConfigureIntentView.Reply

    let session: PointSession
    let message: ConfigureIntentView

    @MainActor private var controller: (any UIViewController & INUIHostedViewControlling)? {
        session.principal as? any UIViewController & INUIHostedViewControlling
    }

    private var context: INUIHostedViewContext { message.place == .maps ? .mapsCard : .siriSnippet }

    private var behavior: INUIInteractiveBehavior {
        switch message.behavior {
        case .nextView: .nextView
        case .launch: .launch
        case .genericAction: .genericAction
        case .none, .unrecognized: .none
        }
    }

    /// Lets the author configure the view, and shows it.
    ///
    /// - Throws: `ExtensionHostError`.
    func configure() async throws -> Reply {
        let name = try await prepare()
        var reply: Reply
        do {
            reply = try await configureForParameters(name)
        } catch let error as ExtensionHostError where error.code == .notImplemented {
            reply = Reply(.notWritten, isConfigured: false)
            // The older method is for the whole interaction only.
            if message.parameters.isEmpty {
                do {
                    reply = try await configureForInteraction(name)
                } catch let error as ExtensionHostError where error.code == .notImplemented {
                    // The author has written no method: the host shows its own interface.
                }
            }
        }
        await session.onMain {
            guard let provider = controller as? any INUIHostedViewSiriProviding else { return }
            (reply.displaysMap, reply.displaysMessage) = (provider.displaysMap, provider.displaysMessage)
            reply.displaysPaymentTransaction = provider.displaysPaymentTransaction
        }
        guard reply.isConfigured, reply.size.width > 0 || reply.size.height > 0 else { return reply }
        let size = CGSize(
            width: Self.bounded(reply.size.width, message.least.width, message.most.width),
            height: Self.bounded(reply.size.height, message.least.height, message.most.height))
        await session.onMain { controller?.viewIfLoaded?.frame = CGRect(origin: .zero, size: size) }
        await session.showView()
        return reply
    }

    private static func bounded(_ value: Double, _ least: Double, _ most: Double) -> Double {
        value.isFinite ? min(max(value, least), most) : most
    }

    /// Loads the view with the largest size, and returns the name of its class.
    private func prepare() async throws -> String {
        let state = IntentViewState.of(session)
        return await session.onMain {
            let most = CGSize(width: message.most.width, height: message.most.height)
            let words = message.all.map { path in
                (path.owner == .response ? message.interaction.answer?.className : message.interaction.intent.className)
                    .map { "\($0).\(path.path)" } ?? path.path
            }
            state.values.withLock { values in
                values.least = CGSize(width: message.least.width, height: message.least.height)
                values.most = most
                values.parameters = words.joined(separator: ", ")
            }
            controller?.loadViewIfNeeded()
            controller?.viewIfLoaded?.frame = CGRect(origin: .zero, size: most)
            return controller.map { "\(type(of: $0))" } ?? ""
        }
    }

    @MainActor private func interaction() throws -> INInteraction {
        try IntentClasses.interaction(message.interaction, session)
    }

    @MainActor private func parameters(of interaction: INInteraction) -> Set<INParameter> {
        Set(message.parameters.compactMap { interaction.classes.parameter($0) })
    }

    private func configureForParameters(_ name: String) async throws -> Reply {
        try await session.eitherForm(
            of: "\(name).configureView(for:of:interactiveBehavior:context:completion:)",
            handler: { handler in
                try await session.onMain {
                    let interaction = try interaction()
                    let classes = interaction.classes
                    controller?.configureView(
                        for: parameters(of: interaction), of: interaction, interactiveBehavior: behavior,
                        context: context
                    ) { @Sendable success, shown, size in
                        handler(Self.reply(success, shown, size, classes))
                    }
                }
            },
            async: { try await configureForParametersAsync() })
    }

    @MainActor private func configureForParametersAsync() async throws -> Reply {
        let interaction = try interaction()
        guard let controller else { return Reply(.notWritten, isConfigured: false) }
        let (success, shown, size) = await controller.configureView(
            for: parameters(of: interaction), of: interaction, interactiveBehavior: behavior, context: context)
        return Self.reply(success, shown, size, interaction.classes)
    }

    private static func reply(
        _ success: Bool, _ shown: Set<INParameter>, _ size: CGSize, _ classes: INInteraction.Classes
    ) -> Reply {
        Reply(
            .parameters, isConfigured: success, parameters: shown.map { classes.path($0) }.sorted { $0.path < $1.path },
            size: .init(size.width, size.height))
    }

    private func configureForInteraction(_ name: String) async throws -> Reply {
        let size: CGSize = try await session.eitherForm(
            of: "\(name).configure(with:context:completion:)",
            handler: { handler in
                try await session.onMain {
                    controller?.configure(with: try interaction(), context: context) { @Sendable in handler($0) }
                }
            },
            async: { try await configureForInteractionAsync() })
        return Reply(.interaction, isConfigured: true, size: .init(size.width, size.height))
    }

    @MainActor private func configureForInteractionAsync() async throws -> CGSize {
        await controller?.configure(with: try interaction(), context: context) ?? .zero
    }
}
