// Exports: the modules that `import MapKit` includes, as on Apple's systems.

@_exported public import CoreLocation
@_exported public import UIKit
