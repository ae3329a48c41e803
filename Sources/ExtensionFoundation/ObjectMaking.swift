// ObjectMaking: the creation of an object of a class that is known only at run time, with any initializers.

public import Foundation

/// A stand-in for the class of which an object is made: not for use.
///
/// Objective-C sends `init` to any class. Swift lets only a `required` initializer be called on a class that is found
/// at run time, which is never written for Apple's systems. But every subclass of `NSObject` has its `init()` in the
/// same slot of its vtable, this one too, and here the initializer is required. The class is open, so that no optimizer
/// takes it for the only one.
open class _InitializerSlot: NSObject {
    public required override init() { super.init() }
}

/// Makes an object of a class that is known at run time: not for use. The source step writes the call.
///
/// It is made by the class's own `init()` that overrides none, if there is one. Such an initializer hides the
/// `convenience init()` of its base, so no slot leads to it. The source step writes it into the class's table.
public func _new<Object: NSObject>(_ type: Object.Type) -> Object {
    MethodTables.initializer(of: type)?() as? Object ?? makeObject(of: type)
}

/// Makes the object of a principal class with a view.
@MainActor package func makePrincipal<Object: NSObject>(of type: Object.Type) -> Object { _new(type) }

/// Calls `init()` of a class.
///
/// A class without one ends the process with Swift's message, “Use of unimplemented initializer 'init()'”, as on
/// Apple's systems.
package func makeObject<Object: NSObject>(of type: Object.Type) -> Object {
    unsafeDowncast(unsafeBitCast(type, to: _InitializerSlot.Type.self).init(), to: Object.self)
}
