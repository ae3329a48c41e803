// InterfaceArchive: a reader of the archive that exthostctl bundle makes of a storyboard or a nib.

import Foundation
import LinuxDescriptors
import PropertyListCoding

/// One object of a storyboard (docs/bundling.md, "Storyboards").
struct ArchivedObject {
    struct Outlet {
        let property: String
        let destination: String
        let isCollection: Bool
    }

    struct Action {
        let selector: String
        let destination: String
        let event: String
    }

    struct Segue {
        let identifier: String?
        let kind: String
        let destination: String
        let relationship: String?
        /// The name of a subclass of `UIStoryboardSegue`.
        let custom: String?
        /// The action that an unwind segue looks for.
        let unwind: String?
    }

    /// An object with a role of which its holder has one, as a controller has one view.
    struct Member {
        let role: String
        let object: ArchivedObject
    }

    let identifier: String
    /// The name of a class of the kit.
    let className: String
    /// The name of a class of the author's, or of another module with its name in front.
    let custom: String?
    let values: PropertyListDictionary
    let members: [Member]
    let lists: [String: [ArchivedObject]]
    let outlets: [Outlet]
    let actions: [Action]
    let segues: [Segue]
    let attributes: [(path: String, value: PropertyList)]

    init(_ value: PropertyList) {
        let keys = value.dictionary ?? [:]
        func list(_ key: String) -> [PropertyListDictionary] { (keys[key]?.array ?? []).compactMap(\.dictionary) }
        identifier = keys["id"]?.string ?? ""
        className = keys["class"]?.string ?? "UIView"
        custom = keys["custom"]?.string
        values = keys["values"]?.dictionary ?? [:]
        members = (keys["members"]?.dictionary ?? [:]).map { Member(role: $0, object: ArchivedObject($1)) }
        lists = (keys["lists"]?.dictionary ?? [:]).reduce(into: [:]) {
            $0[$1.0] = ($1.1.array ?? []).map(ArchivedObject.init)
        }
        outlets = list("outlets").map {
            Outlet(
                property: $0["property"]?.string ?? "", destination: $0["destination"]?.string ?? "",
                isCollection: $0["isCollection"]?.boolean ?? false)
        }
        actions = list("actions").map {
            Action(
                selector: $0["selector"]?.string ?? "", destination: $0["destination"]?.string ?? "",
                event: $0["event"]?.string ?? "")
        }
        segues = list("segues").map {
            Segue(
                identifier: $0["identifier"]?.string, kind: $0["kind"]?.string ?? "",
                destination: $0["destination"]?.string ?? "",
                relationship: $0["relationship"]?.string, custom: $0["custom"]?.string, unwind: $0["unwind"]?.string)
        }
        attributes = list("attributes").compactMap { pair in
            guard let path = pair["path"]?.string, let value = pair["value"] else { return nil }
            return (path, value)
        }
    }

    func member(_ role: String) -> ArchivedObject? { members.first { $0.role == role }?.object }
    func text(_ key: String) -> String? { values[key]?.string }
    func flag(_ key: String) -> Bool? { values[key]?.boolean }
    func number(_ key: String) -> CGFloat? { values[key]?.real.map { CGFloat($0) } }

    func size(_ key: String) -> CGSize? {
        guard let parts = values[key]?.array?.compactMap(\.real), parts.count == 2 else { return nil }
        return CGSize(width: parts[0], height: parts[1])
    }

    var frame: CGRect? {
        guard let parts = values["frame"]?.array?.compactMap(\.real), parts.count == 4 else { return nil }
        return CGRect(x: parts[0], y: parts[1], width: parts[2], height: parts[3])
    }
}

/// A file of archived objects.
struct InterfaceArchive {
    struct Scene {
        let controller: ArchivedObject
        let identifier: String?
        /// The other objects at the top of the scene.
        let objects: [ArchivedObject]
    }

    /// The module of the target that the file was compiled for, for classes without a module name.
    let module: String
    /// The identifier of the first controller.
    let initial: String?
    let scenes: [Scene]
    /// The objects of a nib.
    let objects: [ArchivedObject]

    /// The file name extensions of compiled files.
    static let (storyboardEnding, nibEnding) = ("storyboardc", "nib")

    /// Reads the file of a bundle, for the user's languages. Nil if there is no readable one.
    init?(_ name: String, ending: String, bundle: Bundle) {
        guard let path = bundle.path(forResource: name, ofType: ending),
            let bytes = try? readFile(path, maximumSize: PropertyListLimits.file.bytes),
            let value = try? PropertyList(file: bytes, limits: .file), let keys = value.dictionary,
            keys["format"]?.integer == 1
        else { return nil }
        module = keys["module"]?.string ?? ""
        initial = keys["initial"]?.string
        objects = (keys["objects"]?.array ?? []).map(ArchivedObject.init)
        scenes = (keys["scenes"]?.array ?? []).compactMap { scene in
            guard let scene = scene.dictionary, let controller = scene["controller"] else { return nil }
            return Scene(
                controller: ArchivedObject(controller), identifier: scene["identifier"]?.string,
                objects: (scene["objects"]?.array ?? []).map(ArchivedObject.init))
        }
    }

    func scene(_ identifier: String) -> Scene? { scenes.first { $0.controller.identifier == identifier } }
}
