// ExtensionDetail: the size limit of the property list of a bundle in an answer.

extension ExtensionDetail {
    /// The limit of an `Info.plist` in binary form, in bytes.
    public static let informationLimit = 24 * 1024
}
