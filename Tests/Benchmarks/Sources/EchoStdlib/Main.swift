// The echo extension, linked as Package.swift says.

import Echo
import ExtensionFoundation

@main struct Main { static func main() { NSExtensionMain(principalClass: Echo.self) } }
