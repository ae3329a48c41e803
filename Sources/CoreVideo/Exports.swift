// Exports: importing CoreVideo gives Foundation, as on Apple's systems.

@_exported public import CoreFoundationNames
@_exported public import Foundation
