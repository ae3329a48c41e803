// Exports: whoever imports ExtensionProtocol has the header, the fields and an extension's messages, too.

@_exported public import ExtensionWire
