// ItemKeys: the keys of parts of items, script results and errors in dictionaries. Each key's value is its own name
// (spec 1.1, 1.5, 1.6).
// swift-format-ignore-file: AlwaysUseLowerCamelCase, the names are Apple's

/// The key of `NSExtensionItem.attributedTitle` in `userInfo`.
public let NSExtensionItemAttributedTitleKey = "NSExtensionItemAttributedTitleKey"
/// The key of `NSExtensionItem.attributedContentText` in `userInfo`.
public let NSExtensionItemAttributedContentTextKey = "NSExtensionItemAttributedContentTextKey"
/// The key of `NSExtensionItem.attachments` in `userInfo`.
public let NSExtensionItemAttachmentsKey = "NSExtensionItemAttachmentsKey"

/// The key of a dictionary of `NSExtensionItem` to `NSError` in the `userInfo` of an error that cancels a request.
public let NSExtensionItemsAndErrorsKey = "NSExtensionItemsAndErrorsKey"

/// The key of the dictionary that the page's script made, in a property list attachment.
public let NSExtensionJavaScriptPreprocessingResultsKey = "NSExtensionJavaScriptPreprocessingResultsKey"
/// The key of the dictionary for the script's `finalize` function, in a property list attachment of a returned item.
public let NSExtensionJavaScriptFinalizeArgumentKey = "NSExtensionJavaScriptFinalizeArgumentKey"

/// The key of the wanted size in pixels, in the options of a preview load.
public let NSItemProviderPreferredImageSizeKey = "NSItemProviderPreferredImageSizeKey"
