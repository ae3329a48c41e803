// Exports: the names that `import Security` brings in with it, as on Apple's systems.

@_exported public import CoreFoundationNames
@_exported public import Foundation
