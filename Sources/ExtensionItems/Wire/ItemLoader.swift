// ItemLoader: the way back from a decoded provider to its owner.

/// The far side of decoded providers, in practice a connection.
public protocol ItemLoader: Sendable {
    /// Has the owner load a representation. `completion` is called once, from any thread, with what `serveLoad` made there;
    /// a loader that lets go of it unused fails the load with `itemUnavailableError`.
    func load(
        provider: Int, typeIdentifier: String, completion: @escaping @Sendable (Result<EncodedValue, any Error>) -> Void)
}
