// NEAppRule: a program whose traffic a provider gets.

public import Foundation
import PointMessages

/// A program whose traffic a provider gets.
open class NEAppRule: NSObject {
    /// The identifier of the program's bundle.
    public let matchSigningIdentifier: String
    /// The signing requirement, on macOS.
    public let matchDesignatedRequirement: String?
    /// The path of the program, on macOS.
    open var matchPath: String?
    /// The domains of the connections; nil: all.
    open var matchDomains: [Any]?

    /// Makes a rule for a program.
    public init(signingIdentifier: String) {
        (matchSigningIdentifier, matchDesignatedRequirement) = (signingIdentifier, nil)
    }

    /// Makes a rule for a program with a signing requirement.
    public init(signingIdentifier: String, designatedRequirement: String) {
        (matchSigningIdentifier, matchDesignatedRequirement) = (signingIdentifier, designatedRequirement)
    }

    init(_ message: AppRule) {
        (matchSigningIdentifier, matchDesignatedRequirement) = (message.identifier, message.requirement)
        (matchPath, matchDomains) = (message.path, message.domains)
    }

    var message: AppRule {
        var message = AppRule(matchSigningIdentifier)
        message.requirement = matchDesignatedRequirement
        message.path = matchPath
        message.domains = matchDomains?.compactMap { $0 as? String }
        return message
    }
}
