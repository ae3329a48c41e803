// UINib: the objects of a nib, made for an owner.

public import Foundation

/// A nib of a bundle that `exthostctl bundle` made.
@MainActor @preconcurrency open class UINib: NSObject {
    private let archive: InterfaceArchive?
    private let name: String

    /// - Parameters:
    ///  - name: the name of the file, without its extension.
    ///  - bundle: the bundle that holds it; nil for the main bundle.
    public init(nibName name: String, bundle: Bundle?) {
        archive = InterfaceArchive(name, ending: InterfaceArchive.nibEnding, bundle: bundle ?? .main)
        self.name = name
        super.init()
    }

    init(_ archive: InterfaceArchive) {
        self.archive = archive
        name = ""
        super.init()
    }

    /// Makes the objects and connects the owner's outlets; returns those at the top. A missing nib ends the process, as
    /// on Apple's systems.
    @discardableResult open func instantiate(withOwner owner: Any?, options: [AnyHashable: Any]? = nil) -> [Any] {
        guard archive != nil else {
            fatalError("Could not load NIB in bundle: '\(Bundle.main.bundlePath)' with name '\(name)'")
        }
        return connect(to: owner as? NSObject)
    }

    /// Returns the first cell of the nib, for a table.
    func cell(_ identifier: String) -> UITableViewCell? {
        let cell = instantiate(withOwner: nil).lazy.compactMap { $0 as? UITableViewCell }.first
        cell?.reuseIdentifier = identifier
        return cell
    }

    @discardableResult func connect(to owner: NSObject?) -> [Any] {
        guard let archive else { return [] }
        var builder = InterfaceBuilder(module: archive.module, controller: owner as? UIViewController)
        for object in archive.objects where object.text("placeholderIdentifier") == "IBFilesOwner" {
            if let owner { builder.know(owner, as: object.identifier) }
        }
        let made: [NSObject] = archive.objects.compactMap { builder.make($0) }
        builder.connect()
        return made
    }
}

extension Bundle {
    /// Returns the top-level objects of a nib; nil if there is none of that name.
    @MainActor @discardableResult public func loadNibNamed(
        _ name: String, owner: Any?, options: [AnyHashable: Any]? = nil
    ) -> [Any]? {
        InterfaceArchive(name, ending: InterfaceArchive.nibEnding, bundle: self).map {
            UINib($0).instantiate(withOwner: owner, options: options)
        }
    }
}
