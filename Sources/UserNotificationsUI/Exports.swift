// Exports: the modules that `import UserNotificationsUI` brings in with it, as on Apple's systems.

@_exported public import UIKit
@_exported public import UserNotifications
