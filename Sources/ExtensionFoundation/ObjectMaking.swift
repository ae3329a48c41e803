// ObjectMaking: an object of a class that is known at run time only, whatever initializers its author wrote.

public import Foundation

/// Stands for whatever class an object is made of: not for use.
///
/// Objective-C sends `init` to any class. Swift lets only a `required` initializer be called on a class that is found at run time, which
/// nobody writes for Apple's systems. But every subclass of `NSObject` has its `init()` in the same slot of its vtable, this one
/// too, and here the initializer is required. Open, so that no optimizer takes it for the only class there is.
open class _InitializerSlot: NSObject {
    public required override init() { super.init() }
}

/// Makes the object of a principal class with a view: by the class's own `convenience init()`, if it has one.
///
/// Such an initializer hides its base's and overrides none, so that no slot leads to it. The source step writes it into
/// the class's table.
@MainActor package func makePrincipal<Object: NSObject>(of type: Object.Type) -> Object {
    MethodTables.initializer(of: type)?() as? Object ?? makeObject(of: type)
}

/// Calls `init()` of a class. One that has none ends the process with Swift's message, “Use of unimplemented initializer 'init()'”, as on
/// Apple's systems.
package func makeObject<Object: NSObject>(of type: Object.Type) -> Object {
    unsafeDowncast(unsafeBitCast(type, to: _InitializerSlot.Type.self).init(), to: Object.self)
}
