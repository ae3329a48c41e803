// Exports: importing IdentityLookup gives Foundation, with the responses of servers, and the parts of extensions, as on
// Apple's systems.

@_exported public import ExtensionFoundation
@_exported public import Foundation

#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
