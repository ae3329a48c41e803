// AudioUnitHost: a host of audio units.

public import ExtensionHost
import LinuxDescriptors
import PointMessages

/// Lists, instantiates and renders audio units, as an app that hosts them.
///
/// It renders offline: as fast as the machine can, without a device and without priority in real time.
public struct AudioUnitHost: Sendable {
    /// The extension points of audio units without and with an interface.
    public static let point = "com.apple.AudioUnit"
    /// The extension point of audio units with a view.
    public static let viewPoint = "com.apple.AudioUnit-UI"

    /// The bounds of a host.
    public struct Settings: Sendable, Hashable {
        /// The time after which a unit that answers no block is given up, and its request cancelled. Nil: none.
        public var blockLimit: Duration? = .seconds(60)
        /// The longest tail that a render of a file waits for, in seconds.
        public var longestTail = 60.0

        /// Settings as the property list has them.
        public init() {}
    }

    /// The time at which the view of a unit with an interface is shown.
    public enum View: Sendable, Hashable {
        /// No view.
        case none
        /// A view that is loaded before the unit is made.
        case beforeUnit
        /// A view that is loaded after the unit was made.
        case afterUnit
    }

    private let host: HostApplication
    private let settings: Settings

    /// A host of audio units over a connection.
    public init(_ host: HostApplication, settings: Settings = Settings()) {
        (self.host, self.settings) = (host, settings)
    }

    /// Returns the components of all extensions, in the order of the extensions' identifiers. None is launched.
    ///
    /// - Throws: `ExtensionHostError` `connectionLost`.
    public func components() async throws -> [AudioUnitComponent] {
        var components: [AudioUnitComponent] = []
        for found in try await host.extensions() where [Self.point, Self.viewPoint].contains(found.point) {
            components += AudioUnitComponent.all(
                try await host.attributes(of: found.identifier), of: found.identifier,
                hasView: found.point == Self.viewPoint)
        }
        return components
    }

    /// Returns the components of one extension. It is not launched.
    ///
    /// - Throws: `ExtensionHostError` `noSuchExtension`, `connectionLost`; `invalidArgument` if it declares none.
    public func components(of identifier: String) async throws -> [AudioUnitComponent] {
        let whole = try await host.wholeDeclaration(of: identifier)
        let attributes = whole.declaration["NSExtensionAttributes"]?.dictionary ?? [:]
        let components = AudioUnitComponent.all(attributes, of: identifier, hasView: whole.point == Self.viewPoint)
        guard !components.isEmpty else {
            throw ExtensionHostError(
                .invalidArgument, "\(identifier) declares no audio unit",
                remedy: "Give NSExtensionAttributes an array AudioComponents with type, subtype and manufacturer")
        }
        return components
    }

    /// Makes the unit of a component.
    ///
    /// - Parameters:
    ///   - component: the component.
    ///   - view: when the view is shown, if the extension has one.
    ///   - inProcess: whether the unit is to be loaded into this process, which answers `notSimulated`.
    /// - Throws: the error of `createAudioUnit(with:)`; `ExtensionHostError` `notSimulated`, and those of
    ///   `HostApplication.begin` and of the calls.
    public func instantiate(
        _ component: AudioUnitComponent, view: View = .none, inProcess: Bool = false
    ) async throws -> AudioUnitSession {
        guard !inProcess else {
            let names = component.namesBundle ? ", though \(component.identifier) names a bundle for it" : ""
            throw ExtensionHostError(
                .notSimulated, "an audio unit is not loaded into its host's process" + names,
                remedy: "Instantiate it out of process")
        }
        let changes = AudioChanges()
        var handlers = PointHandlers()
        handlers.on(AudioParametersChanged.self) { message, _ in
            changes.note(message.values)
            return Nothing()
        }
        let request = try await host.begin(component.identifier, items: [], handling: handlers)
        do {
            if view == .beforeUnit { try await request.call(ShowAudioView()) }
            let facts = try await request.call(
                CreateAudioUnit(component.description, component: component.name, version: component.version))
            if view == .afterUnit { try await request.call(ShowAudioView()) }
            return AudioUnitSession(request, component, facts, changes, settings)
        } catch {
            try? await request.cancel()
            // The reason why there is no extension to call says more than the failed call.
            switch await request.outcome {
            case .refused: throw await request.explanation ?? error
            case .cancelled(.cancelledByExtension, let reason): throw reason
            default: throw error
            }
        }
    }
}
