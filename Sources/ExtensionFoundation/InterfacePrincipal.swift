// InterfacePrincipal: the session's view of a principal class with a view: an object that lives on the main actor.

package import ExtensionWire
package import Foundation

/// A principal class whose objects are made and called on the main actor, and have a view: UIKit's view controllers.
package protocol InterfacePrincipal: NSExtensionRequestHandling {
    /// Gives the object its context, before `beginRequest(with:)`.
    @MainActor func join(_ context: NSExtensionContext)
    /// Loads and shows the view, after `beginRequest(with:)` (spec 1.4).
    @MainActor func present()
    /// Returns the view in its present state.
    @MainActor func describe() -> ViewElement
    /// Performs a person's action on the view. Throws `invalidArgument` or `notPermitted` if it cannot be done.
    @MainActor func perform(_ act: UseView) throws(ExtensionHostError)
    /// Removes the view, after the host has removed it, or the request has ended (spec 1.2 step 3).
    @MainActor func takeDown()
}

/// A stand-in for the class of an extension that begins with a storyboard.
///
/// UIKit has one, of the name below, which makes the object.
package protocol MadeByStoryboard: InterfacePrincipal {
    /// Makes the first controller of a storyboard of the main bundle. A missing storyboard ends the process.
    @MainActor static func makeInitial(_ storyboard: String) -> any NSObject & InterfacePrincipal
}

/// The storyboard that an extension without `NSExtensionPrincipalClass` begins with.
package enum MainStoryboard {
    static let className = "UIKit.StoryboardPrincipal"

    /// The storyboard's name, in the extension's own `Info.plist`.
    package static var name: String? { OwnInformation.declaration("NSExtensionMainStoryboard") }

    /// Returns the class that stands for the storyboard.
    ///
    /// - Throws: `noPrincipalClass` if the bundle has no such storyboard, or the program no UIKit.
    static func principal(_ name: String) throws(ExtensionHostError) -> AnyClass {
        guard Bundle.main.path(forResource: name, ofType: "storyboardc") != nil else {
            throw ExtensionHostError(
                .noPrincipalClass, "the bundle has no compiled storyboard \(name)",
                remedy: "Make the bundle with exthostctl bundle, which compiles the storyboards of a target")
        }
        guard let found = NSClassFromString(className) else {
            throw ExtensionHostError(
                .noPrincipalClass, "the program begins with the storyboard \(name) and has no UIKit",
                remedy: "Import UIKit in one of its files")
        }
        return found
    }
}
