// ExtensionDetail: how much of a bundle's property list travels.

extension ExtensionDetail {
    /// Bytes of an `Info.plist` in binary form.
    public static let informationLimit = 24 * 1024
}
