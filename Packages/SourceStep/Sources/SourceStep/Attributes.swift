// Attributes: the words of Objective-C on declarations, and what they say.

import SwiftSyntax

/// The words that the step drops, and those that expose a member.
enum ObjectiveCWord {
    static let dropped: Set<String> = [
        "objc", "objcMembers", "nonobjc", "IBOutlet", "IBAction", "IBSegueAction", "IBInspectable", "IBDesignable",
        "GKInspectable",
    ]
    static let exposing: Set<String> = [
        "objc", "IBOutlet", "IBAction", "IBSegueAction", "IBInspectable", "GKInspectable",
    ]
    /// Their class becomes `@main`, unless the target has another.
    static let main: Set<String> = ["UIApplicationMain", "NSApplicationMain"]
    /// The protocols of a class that `@main` makes an app's.
    static let applicationDelegates: Set<String> = ["UIApplicationDelegate", "NSApplicationDelegate"]
}

extension AttributeListSyntax {
    /// The attributes of all branches of an `#if`, too.
    var all: [AttributeSyntax] {
        flatMap { element -> [AttributeSyntax] in
            switch element {
            case .attribute(let attribute): [attribute]
            case .ifConfigDecl(let node): node.clauses.flatMap { $0.elements?.as(AttributeListSyntax.self)?.all ?? [] }
            }
        }
    }

    func has(_ names: Set<String>) -> Bool { all.contains { names.contains($0.name) } }

    /// `show:` of `@objc(show:)`.
    var objectiveCName: String? {
        all.lazy.filter { $0.name == "objc" }.compactMap {
            $0.arguments?.trimmedDescription.filter { !$0.isWhitespace }
        }
        .first { !$0.isEmpty }
    }

    /// `@available(*, unavailable)`.
    var isUnavailable: Bool {
        all.contains { attribute in
            guard attribute.name == "available", let text = attribute.arguments?.description else { return false }
            let words = text.filter { !$0.isWhitespace }.split(separator: ",")
            return words.first == "*" && words.contains("unavailable")
        }
    }
}

extension AttributeSyntax {
    var name: String { attributeName.trimmedDescription }
}

extension DeclModifierListSyntax {
    func has(_ words: String...) -> Bool { contains { words.contains($0.name.text) && $0.detail == nil } }

    /// `private(set)` and the like.
    var hidesSetter: Bool {
        contains { ["private", "fileprivate"].contains($0.name.text) && $0.detail?.detail.text == "set" }
    }
}
