// Exports: the module that `import UserNotifications` brings in with it, as on Apple's systems.

@_exported public import Foundation
