// Exports: a source that says `import Social` has controllers and items too.

@_exported public import UIKit
