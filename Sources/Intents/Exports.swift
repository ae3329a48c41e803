// Exports: importing Intents gives Foundation, and the parts of extensions, as on Apple's systems.

@_exported public import ExtensionFoundation
@_exported public import Foundation
