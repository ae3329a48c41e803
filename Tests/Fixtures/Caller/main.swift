import ExtensionFoundation

NSExtensionMain()
