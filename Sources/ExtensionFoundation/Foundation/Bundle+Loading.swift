// Bundle+Loading: the functions of a loaded framework.

public import Foundation
import Glibc

/// Returns the address of a function of a bundle's library, which is loaded first if it is not.
///
/// The name is that of the symbol, as `@_cdecl` and C give it. It may be called on any thread. The source is Apple's
/// Core Foundation, where the parameters are a `CFBundle` and a `CFString`.
///
/// - Parameters:
///   - bundle: the bundle of a framework.
///   - functionName: the symbol.
/// - Returns: the address, which is valid until the process ends; nil if the library cannot be loaded or has no such
///   function.
public func CFBundleGetFunctionPointerForName(_ bundle: Bundle, _ functionName: String) -> UnsafeMutableRawPointer? {
    guard bundle.load(), let path = bundle.executablePath, let library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD) else {
        return nil
    }
    // The bundle keeps the library loaded.
    defer { dlclose(library) }
    return dlsym(library, functionName)
}

/// Writes the addresses of several functions of a bundle's library, as `CFBundleGetFunctionPointerForName` returns
/// them. It may be called on any thread. The source is Apple's Core Foundation.
///
/// - Parameters:
///   - bundle: the bundle of a framework.
///   - functionNames: the symbols.
///   - table: the memory for one address a name, in the order of the names; nil stands for a missing function.
public func CFBundleGetFunctionPointersForNames(
    _ bundle: Bundle, _ functionNames: [String], _ table: UnsafeMutablePointer<UnsafeMutableRawPointer?>
) {
    for (place, name) in functionNames.enumerated() { table[place] = CFBundleGetFunctionPointerForName(bundle, name) }
}
