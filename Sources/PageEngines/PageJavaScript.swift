// PageJavaScript: the scripts of this module. All but the last two are for every engine.

package import PageMessages

package enum PageJavaScript {
    /// The object `exthostHarness` around an extension's script. It is evaluated in the extension's world before the
    /// script, and needs the function `exthostPost` there.
    package static let harness = script(PackageResources.harness_js, "exthost-harness.js")
    /// A function of the milliseconds since 1970 at which the clock stands still. Each engine calls it before any other
    /// script, in each world.
    package static let stillness = script(PackageResources.stillness_js, "exthost-stillness.js")
    static let address = script(PackageResources.address_js, "exthost-address.js")
    static let window = script(PackageResources.window_js, "exthost-window.js")

    private static func script(_ bytes: [UInt8], _ name: String) -> PageScript {
        PageScript(String(decoding: bytes, as: UTF8.self), name: name)
    }
}
