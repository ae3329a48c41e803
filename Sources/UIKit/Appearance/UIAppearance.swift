// UIAppearance: values for all views of a class that are made afterwards.

public import Foundation

/// A class whose objects take values that were set for the class.
@MainActor @preconcurrency public protocol UIAppearance: NSObjectProtocol {}
/// The class of an object that holds others. It has no effect.
@MainActor @preconcurrency public protocol UIAppearanceContainer: NSObjectProtocol {}

extension UIView: UIAppearance, UIAppearanceContainer {
    /// Returns a view of the class that is never shown. Views of the class take over what is set on it.
    ///
    /// They do so when they are made; what their owner sets then takes its place. The colours, fonts and text
    /// attributes that Apple documents for it are taken over, and the other values are not.
    public static func appearance() -> Self { AppearanceProxies.proxy(of: self) }

    /// Returns the view of `appearance()`: the traits never change.
    ///
    /// - Parameter traits: no effect.
    public static func appearance(for traits: UITraitCollection) -> Self { AppearanceProxies.proxy(of: self) }

    /// Returns a view that keeps what is set and passes it on to none: where a view will be is not known when it is
    /// made.
    ///
    /// - Parameter containerTypes: no effect.
    public static func appearance(whenContainedInInstancesOf containerTypes: [any UIAppearanceContainer.Type]) -> Self {
        makeObject(of: self)
    }
}

extension UIBarItem: UIAppearance {
    /// Returns an item of the class that is never shown. Items take its tint when they are made.
    public static func appearance() -> Self { AppearanceProxies.proxy(of: self) }

    /// Returns an item that keeps what is set and passes it on to none.
    ///
    /// - Parameter containerTypes: no effect.
    public static func appearance(whenContainedInInstancesOf containerTypes: [any UIAppearanceContainer.Type]) -> Self {
        makeObject(of: self)
    }
}

extension UIViewController: UIAppearanceContainer {}

/// An object that takes values over from one of its class.
@MainActor protocol AppearanceAdopting: NSObject {
    /// Takes the values of `prototype` that differ from those of `pristine`, both of this class or a base.
    func adopt(_ prototype: NSObject, _ pristine: NSObject)
}

@MainActor enum AppearanceProxies {
    private static var entries: [ObjectIdentifier: (prototype: NSObject, pristine: NSObject)] = [:]

    static func proxy<Object: NSObject>(of type: Object.Type) -> Object {
        if let known = entries[ObjectIdentifier(type)]?.prototype as? Object { return known }
        let (prototype, pristine) = (makeObject(of: type), makeObject(of: type))
        entries[ObjectIdentifier(type)] = (prototype, pristine)
        return prototype
    }

    /// Gives a new object the values of its class and of its bases, the outermost base first.
    static func apply(to object: some AppearanceAdopting) {
        guard !entries.isEmpty else { return }
        var chain: [(prototype: NSObject, pristine: NSObject)] = []
        var next: AnyClass? = type(of: object)
        while let type = next {
            if let entry = entries[ObjectIdentifier(type)] { chain.append(entry) }
            next = _getSuperclass(type)
        }
        for entry in chain.reversed() { object.adopt(entry.prototype, entry.pristine) }
    }

    /// Returns the value of `prototype` if it differs from that of `pristine`, else the own one.
    static func merged<Value>(_ own: Value, _ prototype: Value, _ pristine: Value) -> Value {
        let (one, other): (AnyHashable?, AnyHashable?) = (comparable(prototype), comparable(pristine))
        return one == other ? own : prototype
    }

    /// The value in a form that can be compared; nil for none.
    private static func comparable(_ value: Any) -> AnyHashable? {
        (value as? AnyHashable) ?? (value as? [NSAttributedString.Key: Any]).map { NSDictionary(dictionary: $0) }
    }
}
