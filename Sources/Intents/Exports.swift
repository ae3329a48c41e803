// Exports: the module that `import Intents` brings in with it, as on Apple's systems.

@_exported public import Foundation
