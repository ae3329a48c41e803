// PrincipalClass: the principal class of the process, and the framework of its extension point.

import ExtensionConnection
import ExtensionWire
import Foundation

/// The principal class, which the daemon names, with the framework of the extension point.
struct PrincipalClass: Sendable {
    private static let supportName = "ExtensionPointSupport"
    private static let frameworkName = "PointFrameworkKit.LinkedFramework"

    let type: NSObject.Type
    /// The framework's object; nil if the extension point has no framework, or the program is not linked with it.
    let framework: (any PointFramework)?
    private let execution: Execution

    /// - Throws: `noPrincipalClass` if the class is no subclass of `NSObject`, or nothing can begin a request of it.
    init(_ found: AnyClass, _ execution: Execution, _ channel: Channel) throws(ExtensionHostError) {
        guard let type = found as? NSObject.Type else {
            throw ExtensionHostError(
                .noPrincipalClass, "the class \(found) is not a subclass of NSObject", remedy: "Inherit from NSObject")
        }
        self.type = type
        self.execution = execution
        let name = execution.framework.map { "\($0).\(execution.support ?? Self.supportName)" }
        let linked = NSClassFromString(Self.frameworkName) as? any PointFramework.Type
        framework = name.flatMap(NSClassFromString).flatMap { linked?.init($0, ends: execution.ends, channel) }
        // Some frameworks begin a request in a way of their own.
        guard framework != nil || type is any NSExtensionRequestHandling.Type else {
            throw ExtensionHostError(
                .noPrincipalClass, "the class \(type) does not adopt NSExtensionRequestHandling",
                remedy: "Adopt the protocol, or name another class in NSExtensionPrincipalClass")
        }
    }

    /// Returns the error for a call that no framework performs.
    func missing(_ call: String) -> ExtensionHostError {
        guard let framework = execution.framework else {
            return ExtensionHostError(
                .notImplemented, "the extension point \(execution.point) has no framework that performs \(call)",
                remedy: "Name it under Framework in the extension point's property list")
        }
        return ExtensionHostError(
            .frameworkMissing, "\(execution.identifier) is not linked with \(framework)",
            remedy: "Add the product \(framework) to its target")
    }
}
