// SLComposeSheetConfigurationItem: one option below the text of a compose sheet.

public typealias SLComposeSheetConfigurationItemTapHandler = () -> Void

/// An option that a person may set for a post (spec 4.2).
///
/// The sheet notices changes of `title`, `value` and `valuePending` by itself.
///
/// It is no `NSObject`, since that has an initialiser that cannot fail, and authors write
/// `SLComposeSheetConfigurationItem()!` or `if let`.
open class SLComposeSheetConfigurationItem {
    /// The option's name.
    open var title: String! { didSet { changed?() } }
    /// The chosen value.
    open var value: String! { didSet { changed?() } }
    /// Whether the value is still being computed; the sheet may show it beside `value`. False at first.
    open var valuePending = false { didSet { changed?() } }
    /// The handler of a tap on the option, called on the main queue. It should hold neither the item nor the sheet.
    open var tapHandler: SLComposeSheetConfigurationItemTapHandler!

    var changed: (@Sendable () -> Void)?

    public init!() {}
}
