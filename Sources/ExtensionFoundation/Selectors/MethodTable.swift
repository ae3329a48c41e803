// MethodTable: the tables that the source step writes for each class: methods under their Objective-C names.

import Foundation
import Locks

/// A method of a class under its Objective-C name: not for use. The source step writes it.
public struct _Method: Sendable {
    let selector: String
    private let thunk: @MainActor @Sendable (AnyObject, _Arguments) -> Any?

    /// - Parameters:
    ///   - selector: the Objective-C name.
    ///   - thunk: casts the object and the arguments, and calls the method. It is called on the thread that sends the
    ///     selector: it is isolated so that it may call methods of classes on the main actor.
    public init(_ selector: String, _ thunk: @escaping @MainActor @Sendable (AnyObject, _Arguments) -> Any?) {
        self.selector = selector
        self.thunk = thunk
    }

    /// Calls the method.
    ///
    /// Objective-C has no actors: the sender chooses the thread, and a function on an actor is called like any other.
    func call(_ target: AnyObject, _ arguments: _Arguments) -> Any? {
        unsafeBitCast(thunk, to: (@Sendable (AnyObject, _Arguments) -> Any?).self)(target, arguments)
    }
}

/// The arguments of one call: not for use. A method with fewer arguments gets the first ones; one with more gets nil.
public struct _Arguments {
    let selector: String
    let values: [Any?]

    /// An argument in the type that the method takes.
    ///
    /// If it is of another type, the process ends with a line that names both. A method of Objective-C would end it
    /// later, without a message.
    public subscript<Value>(index: Int, type: Value.Type) -> Value {
        let value = index < values.count ? values[index] : nil
        if let cast = value as? Value ?? Self.number(value, as: type) { return cast }
        let found = value.map { String(reflecting: Swift.type(of: $0)) } ?? "nil"
        fatalError("argument \(index + 1) of \(selector) is \(found), and the method takes \(type)")
    }

    /// An argument that the method's body does not mention: an object of any class, as Objective-C passes it.
    ///
    /// Each object has the same reference count, so it may be passed on; nothing else is done with it.
    public subscript<Value: AnyObject>(unused index: Int, type: Value.Type) -> Value {
        let value = index < values.count ? values[index] : nil
        guard let value, !(value is Value), Swift.type(of: value) is AnyClass else { return self[index, type] }
        return unsafeBitCast(value as AnyObject, to: type)
    }

    /// An argument that the method's body does not mention: an object of any class, or nil.
    public subscript<Value: AnyObject>(unused index: Int, type: Value?.Type) -> Value? {
        (index < values.count ? values[index] : nil).map { _ in self[unused: index, Value.self] }
    }

    /// An argument that the method's body does not mention, of a type that is no class: it has to be of that type.
    public subscript<Value>(unused index: Int, type: Value.Type) -> Value { self[index, type] }
}

extension _Arguments {
    /// Converts a number of a storyboard or a wrapped one to the method's type: Objective-C's numbers have no single
    /// type.
    private static func number<Value>(_ value: Any?, as type: Value.Type) -> Value? {
        guard let number = (value as? Double) ?? (value as? Int).map(Double.init) else { return nil }
        let made: Any? =
            switch type {
            case is CGFloat.Type, is CGFloat?.Type: CGFloat(number)
            case is Float.Type, is Float?.Type: Float(number)
            case is Double.Type, is Double?.Type: number
            case is Int.Type, is Int?.Type: Int(exactly: number)
            default: nil
            }
        return made as? Value
    }
}

/// The methods of a class in one file: not for use.
///
/// For a class `M.Outer.Inner` the source step adds the classes `__Methods_Outer_Inner`, `__Methods_Outer_Inner__1` and
/// so on. They are found by these names in the module `M` or in that of a subclass. They are classes, because the
/// compiler may omit metadata of other types that are not mentioned.
public protocol _MethodTable: AnyObject {
    static var methods: [_Method] { get }
    /// The class; nil for a type that is no class. Two private classes of one name have tables of one name.
    static var owner: AnyClass? { get }
}

extension _MethodTable {
    /// The owner of the kit's own tables, whose names are unique: nil.
    public static var owner: AnyClass? { nil }
}

/// The methods of all classes; each is looked up once.
package enum MethodTables {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let module: String
    }

    private static let known = Mutex<[Key: [String: _Method]]>([:])

    /// Returns the method that an object of a class has under a name: its own or an inherited one. Any thread.
    static func method(_ selector: Selector, of type: AnyClass) -> _Method? {
        all(of: type, selector.module)[selector.description]
    }

    private static func all(of type: AnyClass, _ module: String) -> [String: _Method] {
        let key = Key(type: ObjectIdentifier(type), module: module)
        if let found = known.withLock({ $0[key] }) { return found }
        let made = read(type, module)
        known.withLock { $0[key] = made }
        return made
    }

    /// Returns the name of an observed property; nil for a key path that no table of the class has. Any thread.
    ///
    /// A table has such a property as `@Class.name`, with a function that returns the key path.
    static func property(_ keyPath: AnyKeyPath, of type: AnyClass, _ file: StaticString) -> String? {
        all(of: type, Selector("", file).module).first { name, method in
            name.hasPrefix("@")
                && method.call(type as AnyObject, _Arguments(selector: name, values: [])) as? AnyKeyPath == keyPath
        }?.key.split(separator: ".").last.map(String.init)
    }

    /// Returns the class's own `init()`, as a function; nil for a class without one in its tables. Any thread.
    package static func initializer(of type: AnyClass) -> (() -> Any?)? {
        let name = ClassName(type)
        let tables = name.tables(in: name.module).filter { $0.owner == nil || $0.owner == type }
        guard let method = tables.flatMap({ $0.methods }).last(where: { $0.selector == "init" }) else { return nil }
        return { method.call(type as AnyObject, _Arguments(selector: method.selector, values: [])) }
    }

    /// Reads the methods from the root class down, so that a subclass's methods take precedence.
    private static func read(_ type: AnyClass, _ module: String) -> [String: _Method] {
        var chain: [(type: AnyClass, name: ClassName)] = []
        var next: AnyClass? = type
        while let one = next {
            chain.append((one, ClassName(one)))
            next = _getSuperclass(one)
        }
        var found: [String: _Method] = [:]
        for (index, one) in chain.enumerated().reversed() {
            // A class may be extended in the module of any subclass, and in the one that sends the selector.
            var modules: [String] = []
            for place in (0...index).reversed() { modules.append(chain[place].name.module) }
            modules.append(module)
            var seen: Set<String> = [""]
            for module in modules where seen.insert(module).inserted {
                for table in one.name.tables(in: module) where table.owner == nil || table.owner == one.type {
                    for method in table.methods { found[method.selector] = method }
                }
            }
        }
        return found
    }
}

/// The name of a class, without its private and generic parts.
struct ClassName {
    let module: String
    /// The names of the enclosing types and of the class itself, joined by underscores.
    let path: String

    init(_ type: AnyClass) {
        var text = String(reflecting: type)
        if let generic = text.firstIndex(of: "<") { text = String(text[..<generic]) }
        // A class in an extension of another module's type is written (extension in M):UIKit.UIView.Name.
        let prefix = "(extension in "
        if text.hasPrefix(prefix), let end = text.range(of: "):") {
            module = String(text[text.index(text.startIndex, offsetBy: prefix.count)..<end.lowerBound])
            path = text[end.upperBound...].split(separator: ".").filter { !$0.hasPrefix("(") }.dropFirst().joined(
                separator: "_")
            return
        }
        // A private class is written M.(unknown context at $1a2b).Name.
        let parts = text.split(separator: ".").filter { !$0.hasPrefix("(") }
        module = parts.first.map(String.init) ?? ""
        path = parts.dropFirst().joined(separator: "_")
    }

    /// Returns the tables of every file with methods of the class, in one module.
    func tables(in module: String) -> [any _MethodTable.Type] {
        var found: [any _MethodTable.Type] = []
        while true {
            let name = "__Methods_\(path)" + (found.isEmpty ? "" : "__\(found.count)")
            // Swift's mangling of a class at the top of a module.
            let mangled = "\(module.utf8.count)\(module)\(name.utf8.count)\(name)C"
            guard let table = _typeByName(mangled) as? any _MethodTable.Type else { return found }
            found.append(table)
        }
    }
}
