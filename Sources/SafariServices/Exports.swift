// Exports: importing SafariServices gives Foundation and extensions' items, as on Apple's systems.

@_exported public import ExtensionFoundation
@_exported public import Foundation
