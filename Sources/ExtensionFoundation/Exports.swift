// Exports: an extension's source says `import ExtensionFoundation` and has items, providers and its app groups too.

@_exported public import AppGroups
@_exported public import ExtensionItems
