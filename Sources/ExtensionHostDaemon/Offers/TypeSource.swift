// TypeSource: where the types come from that an offer asks about.

import ExtensionRegistry
import UniformTypeIdentifiers

/// Where the types come from that conformance is asked of.
struct TypeSource: Sendable {
    let registry: ExtensionRegistry
    /// Declared by what the connection itself has registered.
    let own: [DeclaredType]

    /// Whether the table is at hand; else making it takes some milliseconds.
    var isReady: Bool { own.isEmpty }

    var table: TypeTable { own.isEmpty ? registry.types : TypeTable(declaring: registry.declaredTypes + own) }
}
