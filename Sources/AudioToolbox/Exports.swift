// Exports: importing AudioToolbox gives Foundation and the context of extensions, as on Apple's systems.

@_exported public import CoreAudioTypes
@_exported public import CoreFoundationNames
@_exported public import ExtensionFoundation
@_exported public import Foundation
