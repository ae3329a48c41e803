// CLSContext, CLSDataStore: the parts of lessons as values, without a school that gets them.

@_exported public import ExtensionFoundation
@_exported public import Foundation

/// The kinds of a part.
public enum CLSContextType: Int, Sendable {
    case none, app, chapter, section, level, page, task, challenge, quiz, exercise, lesson, book, game, document, audio
    case video, course, custom
}

/// A part of an app's lessons. It keeps its values and its children.
open class CLSContext: NSObject {
    public let type: CLSContextType
    public let identifier: String
    open var title: String
    open var displayOrder = 0
    open var universalLinkURL: URL?
    open private(set) weak var parent: CLSContext?
    private var children: [CLSContext] = []

    /// - Parameters:
    ///   - type: the kind.
    ///   - identifier: a text that no other child of the parent has.
    ///   - title: the text for people.
    public init(type: CLSContextType, identifier: String, title: String) {
        (self.type, self.identifier, self.title) = (type, identifier, title)
    }

    /// Adds a part, unless one of its identifier is there already.
    open func addChildContext(_ child: CLSContext) {
        guard child.parent == nil, !children.contains(where: { $0.identifier == child.identifier }) else { return }
        child.parent = self
        children.append(child)
    }
    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }

    /// Finds the part below this one by the identifiers on the way to it. Nothing makes a missing part.
    ///
    /// - Parameters:
    ///   - identifierPath: the identifiers, from a child of this part on.
    ///   - completion: called before the method returns, with the part, or nil.
    open func descendant(
        matchingIdentifierPath identifierPath: [String], completion: @escaping (CLSContext?, (any Error)?) -> Void
    ) {
        let found = identifierPath.reduce(self as CLSContext?) { part, identifier in
            part?.children.first { $0.identifier == identifier }
        }
        completion(found, nil)
    }
}

/// The store of a device that no school manages: nothing is saved.
open class CLSDataStore: NSObject, @unchecked Sendable {  // as Apple's: its user decides about threads
    private static let only = CLSDataStore()
    open class var shared: CLSDataStore { only }

    /// The part that all others are below.
    public let mainAppContext = CLSContext(type: .app, identifier: "app", title: "")

    /// Fails: there is no school.
    ///
    /// - Parameter completion: called on another thread, with an error whose words begin with `notSimulated`.
    open func save(completion: (@Sendable ((any Error)?) -> Void)? = nil) {
        DispatchQueue.global().async {
            completion?(
                CocoaError(
                    .featureUnsupported,
                    userInfo: [NSLocalizedDescriptionKey: "notSimulated: no school gets the parts of lessons"]))
        }
    }
}

/// The class of an extension that adds parts. No host asks one: the point is not simulated.
public protocol CLSContextProvider {
    func updateDescendants(of context: CLSContext, completion: @escaping ((any Error)?) -> Void)
}
