// INUIHostedViewControlling: the methods of a view that shows an intent, under Apple's names.

public import ExtensionFoundation
public import Foundation
public import Intents
import Locks
import PointFrameworkKit

/// The places of a view.
public enum INUIHostedViewContext: UInt, Sendable {
    /// The view is among the answers of Siri.
    case siriSnippet
    /// The view is on a card of Maps.
    case mapsCard
}

/// The effects of a tap on a view, which the system performs.
public enum INUIInteractiveBehavior: UInt, Sendable {
    case none
    /// The system shows another view.
    case nextView
    /// The app opens.
    case launch
    case genericAction
}

/// The methods of the principal class of an intents extension with interface, a `UIViewController`.
///
/// An author writes one form of one of the two methods, or both methods. All are called on the main queue. A method
/// that only a subclass of the adopting class writes is not called.
@MainActor @preconcurrency public protocol INUIHostedViewControlling: NSObjectProtocol {
    /// Configures the view for a whole interaction, above the system's own interface.
    ///
    /// The system calls it if the other method is not written. `completion` counts once, and has 10 s (`CallLimits`).
    ///
    /// - Parameters:
    ///   - interaction: the intent with the response.
    ///   - context: the place of the view.
    ///   - completion: takes the size of the view in points. The size zero means that there is no view.
    func configure(
        with interaction: INInteraction, context: INUIHostedViewContext, completion: @escaping (CGSize) -> Void)

    /// The form of `configure(with:context:completion:)` that Swift imports as `async`.
    func configure(with interaction: INInteraction, context: INUIHostedViewContext) async -> CGSize

    /// The form of `configure(with:context:completion:)` in sources for iOS 10, with optional values. It is called if
    /// no other method is written.
    func configure(
        with interaction: INInteraction!, context: INUIHostedViewContext, completion: ((CGSize) -> Void)!)

    /// Configures the view for parameters, in place of the system's interface for them.
    ///
    /// The first call is for the whole interaction, and has no parameters. Each other is for one parameter that no view
    /// displays yet, and has a view controller of its own. `completion` counts once, and has 10 s (`CallLimits`).
    ///
    /// - Parameters:
    ///   - parameters: the parameters that the view is for.
    ///   - interaction: the intent with the response.
    ///   - interactiveBehavior: the effect of a tap on the view.
    ///   - context: the place of the view.
    ///   - completion: takes whether the view is configured, the parameters that it displays, and its size in points.
    ///     With the size zero, the system shows nothing for the parameters.
    func configureView(
        for parameters: Set<INParameter>, of interaction: INInteraction,
        interactiveBehavior: INUIInteractiveBehavior, context: INUIHostedViewContext,
        completion: @escaping (Bool, Set<INParameter>, CGSize) -> Void)

    /// The form of `configureView(for:of:interactiveBehavior:context:completion:)` that Swift imports as `async`.
    func configureView(
        for parameters: Set<INParameter>, of interaction: INInteraction,
        interactiveBehavior: INUIInteractiveBehavior, context: INUIHostedViewContext
    ) async -> (Bool, Set<INParameter>, CGSize)
}

extension INUIHostedViewControlling {
    public func configure(
        with interaction: INInteraction, context: INUIHostedViewContext, completion: @escaping (CGSize) -> Void
    ) {
        // Sources for iOS 10 have written the form with optional values. Its default says that neither is written.
        let optional: ((CGSize) -> Void)? = completion
        configure(with: interaction, context: context, completion: optional)
    }

    public func configure(
        with interaction: INInteraction!, context: INUIHostedViewContext, completion: ((CGSize) -> Void)!
    ) {
        PointSession.notWritten()
    }

    public func configure(with interaction: INInteraction, context: INUIHostedViewContext) async -> CGSize {
        PointSession.notWritten()
        return .zero
    }

    public func configureView(
        for parameters: Set<INParameter>, of interaction: INInteraction,
        interactiveBehavior: INUIInteractiveBehavior, context: INUIHostedViewContext,
        completion: @escaping (Bool, Set<INParameter>, CGSize) -> Void
    ) {
        PointSession.notWritten()
    }

    public func configureView(
        for parameters: Set<INParameter>, of interaction: INInteraction,
        interactiveBehavior: INUIInteractiveBehavior, context: INUIHostedViewContext
    ) async -> (Bool, Set<INParameter>, CGSize) {
        PointSession.notWritten()
        return (false, [], .zero)
    }
}

/// The parts of the system's interface that a view makes needless.
@MainActor @preconcurrency public protocol INUIHostedViewSiriProviding: NSObjectProtocol {
    /// Whether the view shows a map.
    var displaysMap: Bool { get }
    /// Whether the view shows the message.
    var displaysMessage: Bool { get }
    /// Whether the view shows the payment.
    var displaysPaymentTransaction: Bool { get }
}

extension INUIHostedViewSiriProviding {
    public var displaysMap: Bool { false }
    public var displaysMessage: Bool { false }
    public var displaysPaymentTransaction: Bool { false }
}

extension NSExtensionContext {
    /// The least size of the view in points. Zero in a request of another extension point.
    public var hostedViewMinimumAllowedSize: CGSize { IntentViewState.of(self)?.values.withLock { $0.least } ?? .zero }

    /// The largest size of the view in points. Zero in a request of another extension point.
    public var hostedViewMaximumAllowedSize: CGSize { IntentViewState.of(self)?.values.withLock { $0.most } ?? .zero }

    /// Returns the parameters that the system shows of this interaction, in words, for an author's log.
    public func interfaceParametersDescription() -> String {
        IntentViewState.of(self)?.values.withLock { $0.parameters } ?? ""
    }
}
