// Representation: one type that a provider offers, and the source of its value.

internal import Foundation

/// The programs that may see a representation (numbers as Apple's).
public enum NSItemProviderRepresentationVisibility: Int, Sendable {
    /// All programs.
    case all = 0
    /// The same developer's programs; here as `all` until bundles carry a team.
    case team = 1
    /// The same application group's programs; here as `all` until groups are known.
    case group = 2
    /// This process: the type is not named to any other process.
    case ownProcess = 3

    var isLeftOut: Bool { self == .team || self == .group }
}

/// A reader's options for file representations.
public struct NSItemProviderFileOptions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The option for the file itself and not a copy.
    public static let openInPlace = NSItemProviderFileOptions(rawValue: 1)
}

struct Representation: Sendable {
    let typeIdentifier: String
    var visibility = NSItemProviderRepresentationVisibility.all
    var fileOptions: NSItemProviderFileOptions = []
    let source: Source

    /// The source of the value.
    enum Source: Sendable {
        /// A value that exists from the start; nil is a value, too.
        case value(Handover<Any?>)
        /// A large value that exists from the start.
        case sealed(SealedBytes)
        /// A file, offered as its URL or its bytes.
        case file(URL)
        case item(NSItemProvider.LoadHandler)
        case data(NSItemProvider.DataLoadHandler)
        case files(NSItemProvider.FileLoadHandler)
        /// A numbered provider in another process.
        case remote(any ItemLoader, provider: Int)
        /// A load that had failed before it reached this process.
        case failed(NSError)
    }

    var isMadeAsFile: Bool { if case .files = source { true } else { false } }

    var isVisibleToOthers: Bool { visibility != .ownProcess }

    /// Returns the source for a provider's initial value: an object, or sealed memory if it is large.
    static func source(of item: Any?) -> Source {
        if let sealed = sealed(item) { return .sealed(sealed) }
        return .value(Handover(value: item.map { foundationValue($0) }))
    }

    /// Seals large data, of an object straight from its bytes, without another copy.
    private static func sealed(_ item: Any?) -> SealedBytes? {
        guard let item, type(of: item) is NSData.Type, let object = item as? NSData else {
            return swiftData(item).flatMap { SealedBytes(keeping: $0) }
        }
        guard object.length > WireLimits.inlineData else { return nil }
        return withExtendedLifetime(object) {
            SealedBytes(
                keeping: Data(
                    bytesNoCopy: UnsafeMutableRawPointer(mutating: object.bytes), count: object.length,
                    deallocator: .none))
        }
    }
}
