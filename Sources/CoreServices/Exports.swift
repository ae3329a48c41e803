// Exports: the type constants of MobileCoreServices under the name of the framework that holds them on macOS.

@_exported public import MobileCoreServices
