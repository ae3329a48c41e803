// NSUserActivity+Attributes: the attributes of an activity for a search, as a stored value.

public import ExtensionFoundation

extension NSUserActivity {
    /// The attributes by which people would find the activity. No index gets them here.
    public var contentAttributeSet: CSSearchableItemAttributeSet? {
        get { attributes as? CSSearchableItemAttributeSet }
        set { attributes = newValue }
    }
}
