// InterfacePrincipal: what a principal class with a view is to the session: an object that lives on the main actor.

package import ExtensionProtocol

/// A principal class whose objects are made and called on the main actor, and have a view: UIKit's view controllers.
package protocol InterfacePrincipal: NSExtensionRequestHandling {
    /// Before `beginRequest(with:)`.
    @MainActor func join(_ context: NSExtensionContext)
    /// After it: the view is loaded and appears (spec 1.4).
    @MainActor func present()
    /// As it is now.
    @MainActor func describe() -> ViewElement
    /// What a person does with the view. Throws `invalidArgument`, `notPermitted`: it cannot be done.
    @MainActor func perform(_ act: UseView) throws(ExtensionHostError)
    /// The host has taken the view down, or the request is over (spec 1.2 step 3).
    @MainActor func takeDown()
}
