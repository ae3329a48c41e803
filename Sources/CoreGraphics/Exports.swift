// Exports: geometry, colours and paths under the name of the framework that holds them on Apple's systems.

@_exported public import UIKit
