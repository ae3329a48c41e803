// Exports: the modules that `import AuthenticationServices` brings in with it, as on Apple's systems.

@_exported public import Foundation
@_exported public import UIKit
