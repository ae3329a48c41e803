// Exports: an extension's source says `import ExtensionFoundation` and has items and providers too.

@_exported public import ExtensionItems
