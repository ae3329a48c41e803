// Exports: `QuickLookUI` is the name of `QuickLook` on macOS.

@_exported public import QuickLook
