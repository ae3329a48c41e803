// TypeSource: the source of the types that an offer asks about.

import ExtensionRegistry
import UniformTypeIdentifiers

/// The source of the types for questions of conformance.
struct TypeSource: Sendable {
    let registry: ExtensionRegistry
    /// The types that the connection's own registrations declare.
    let own: [DeclaredType]

    /// Whether the table is ready; otherwise it takes some milliseconds to make.
    var isReady: Bool { own.isEmpty }

    var table: TypeTable { own.isEmpty ? registry.types : TypeTable(declaring: registry.declaredTypes + own) }
}
