// IntentViewMessages: the calls of the views of intents, and the interaction that they show.

public import ExtensionPointKit

/// A property of the intent or of the response of an interaction.
public struct IntentParameterPath: Codable, Sendable, Hashable {
    /// The objects of an interaction.
    public enum Owner: String, OpenEnumeration, Hashable {
        case intent, response
        /// An object of another interaction.
        case unrecognized
    }

    public var owner: Owner
    /// The names of properties with dots between them.
    public var path: String
    /// The elements of lists, by the beginnings of the path that lead to the lists.
    public var indexes: [String: Int]

    /// Makes a path; each value is described at its property.
    public init(_ owner: Owner, _ path: String, indexes: [String: Int] = [:]) {
        (self.owner, self.path, self.indexes) = (owner, path, indexes)
    }
}

/// An intent with the response to it, as it travels.
public struct IntentInteraction: Codable, Sendable, Hashable {
    /// The directions of an interaction. Both sides treat an unrecognized one as `unspecified`.
    public enum Direction: String, OpenEnumeration, Hashable {
        case unspecified, outgoing, incoming, unrecognized
    }

    public var identifier: String
    public var intent: IntentDescription
    /// The response; nil if there is none yet.
    public var answer: IntentAnswer?
    public var direction: Direction
    /// The beginning and the end, in seconds since 1970.
    public var start: Double
    public var end: Double

    /// Makes an interaction; each value is described at its property.
    public init(
        identifier: String, _ intent: IntentDescription, _ answer: IntentAnswer?, direction: Direction = .outgoing,
        start: Double, end: Double
    ) {
        (self.identifier, self.intent, self.answer) = (identifier, intent, answer)
        (self.direction, self.start, self.end) = (direction, start, end)
    }
}

/// Asks for the properties of a class of intents and of its responses.
public struct DescribeInteraction: PointMessage {
    public static let name = "intentsUI.describe"

    /// A code of a response.
    public struct Code: Codable, Sendable, Hashable {
        public var name: String
        public var number: Int
        /// Whether the code stands for success.
        public var isSuccess: Bool

        /// Makes a code; each value is described at its property.
        public init(_ name: String, _ number: Int, isSuccess: Bool) {
            (self.name, self.number, self.isSuccess) = (name, number, isSuccess)
        }
    }

    public struct Reply: Codable, Sendable {
        /// The parameters of the intent, in their order.
        public var parameters: [DescribeIntent.Parameter]
        /// The name of the class of responses.
        public var response: String
        /// The properties of the response, in their order.
        public var properties: [DescribeIntent.Parameter]
        /// The codes of the response.
        public var codes: [Code]

        /// Makes a reply; each value is described at its property.
        public init(
            _ parameters: [DescribeIntent.Parameter], response: String, properties: [DescribeIntent.Parameter],
            codes: [Code]
        ) {
            (self.parameters, self.response, self.properties, self.codes) = (parameters, response, properties, codes)
        }
    }

    public var className: String

    /// - Parameter className: the class of intents.
    public init(_ className: String) { self.className = className }
}

/// Asks the extension to configure its view for parameters of an interaction.
public struct ConfigureIntentView: PointMessage {
    public static let name = "intentsUI.configure"

    /// The apps that show the view. The extension treats an unrecognized one as `siri`.
    public enum Place: String, OpenEnumeration, Hashable {
        case siri, maps, unrecognized
    }

    /// The effects of a tap on the view. The extension treats an unrecognized one as `none`.
    public enum Behavior: String, OpenEnumeration, Hashable, CaseIterable {
        case none, nextView, launch, genericAction, unrecognized
    }

    /// A size in points.
    public struct Size: Codable, Sendable, Hashable {
        public var width: Double
        public var height: Double

        /// Makes a size; each value is described at its property.
        public init(_ width: Double, _ height: Double) { (self.width, self.height) = (width, height) }
    }

    public struct Reply: Codable, Sendable, Equatable {
        /// The methods of the extension that have answered.
        public enum Method: String, OpenEnumeration, Hashable {
            /// `configureView(for:of:interactiveBehavior:context:completion:)`.
            case parameters
            /// `configure(with:context:completion:)`, which only the call without parameters makes.
            case interaction
            /// The extension has no method for this call.
            case notWritten
            case unrecognized
        }

        public var method: Method
        /// Whether the view is configured. If not, the host shows its own interface.
        public var isConfigured: Bool
        /// The parameters that the view displays.
        public var parameters: [IntentParameterPath]
        /// The size that the extension wants.
        public var size: Size
        /// The parts that the host need not show beside the view (`INUIHostedViewSiriProviding`).
        public var displaysMap: Bool
        public var displaysMessage: Bool
        public var displaysPaymentTransaction: Bool

        /// Makes a reply; each value is described at its property.
        public init(
            _ method: Method, isConfigured: Bool, parameters: [IntentParameterPath] = [], size: Size = Size(0, 0),
            displaysMap: Bool = false, displaysMessage: Bool = false, displaysPaymentTransaction: Bool = false
        ) {
            (self.method, self.isConfigured, self.parameters, self.size) = (method, isConfigured, parameters, size)
            (self.displaysMap, self.displaysMessage) = (displaysMap, displaysMessage)
            self.displaysPaymentTransaction = displaysPaymentTransaction
        }
    }

    /// The parameters that the view is for; empty: the whole interaction.
    public var parameters: [IntentParameterPath]
    public var interaction: IntentInteraction
    /// All parameters that the host shows, in their order.
    public var all: [IntentParameterPath]
    public var behavior: Behavior
    public var place: Place
    public var least: Size
    public var most: Size

    /// Makes the call; each value is described at its property.
    public init(
        _ parameters: [IntentParameterPath], of interaction: IntentInteraction, all: [IntentParameterPath],
        behavior: Behavior, place: Place, least: Size, most: Size
    ) {
        (self.parameters, self.interaction, self.all) = (parameters, interaction, all)
        (self.behavior, self.place, self.least, self.most) = (behavior, place, least, most)
    }
}

/// Takes the view down: the last call.
public struct EndIntentView: PointMessage {
    public static let name = "intentsUI.end"

    /// Makes the call.
    public init() {}
}
