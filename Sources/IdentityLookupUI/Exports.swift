// Exports: the modules that `import IdentityLookupUI` brings in with it, as on Apple's systems.

@_exported public import IdentityLookup
@_exported public import UIKit
