// ItemKeys: the names under which parts of items, script results and errors stand in dictionaries. Each key's value is its
// own name (spec 1.1, 1.5, 1.6).
// swift-format-ignore-file: AlwaysUseLowerCamelCase, the names are Apple's

/// `NSExtensionItem.attributedTitle` in `userInfo`.
public let NSExtensionItemAttributedTitleKey = "NSExtensionItemAttributedTitleKey"
/// `NSExtensionItem.attributedContentText` in `userInfo`.
public let NSExtensionItemAttributedContentTextKey = "NSExtensionItemAttributedContentTextKey"
/// `NSExtensionItem.attachments` in `userInfo`.
public let NSExtensionItemAttachmentsKey = "NSExtensionItemAttachmentsKey"

/// In the `userInfo` of an error that cancels a request: a dictionary of `NSExtensionItem` to `NSError`.
public let NSExtensionItemsAndErrorsKey = "NSExtensionItemsAndErrorsKey"

/// In a property list attachment: the dictionary that the page's script made.
public let NSExtensionJavaScriptPreprocessingResultsKey = "NSExtensionJavaScriptPreprocessingResultsKey"
/// In a property list attachment of a returned item: the dictionary for the script's `finalize` function.
public let NSExtensionJavaScriptFinalizeArgumentKey = "NSExtensionJavaScriptFinalizeArgumentKey"

/// In the options of a preview load: the wanted size in pixels.
public let NSItemProviderPreferredImageSizeKey = "NSItemProviderPreferredImageSizeKey"
