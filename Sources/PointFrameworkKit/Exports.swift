// Exports: the modules that stand in the declarations of this one.

@_exported public import ExtensionFoundation
@_exported public import ExtensionPointKit
