// UIViewController+Storyboard: a controller's view and segues, as a storyboard or a nib describes them.

import ExtensionFoundation
import Foundation

extension UIViewController {
    /// The storyboard that made this controller.
    public final var storyboard: UIStoryboard? { drawing?.storyboard }

    /// Makes the view of the storyboard or nib; false if there is none. `loadView()` calls it.
    final func loadDrawnView() -> Bool {
        if let drawing { return load(drawing) }
        guard let name = nibName ?? Self.nibOfOwnName(type(of: self), nibBundle),
            let archive = InterfaceArchive(name, ending: InterfaceArchive.nibEnding, bundle: nibBundle ?? .main)
        else { return false }
        UINib(archive).connect(to: self)
        return isViewLoaded
    }

    /// Returns the name of the nib of the class's name, which a controller without a nib's name uses (documented).
    private static func nibOfOwnName(_ type: AnyClass, _ bundle: Bundle?) -> String? {
        guard type != UIViewController.self else { return nil }
        let name = String(describing: type)
        let names = name.hasSuffix("Controller") ? [String(name.dropLast("Controller".count)), name] : [name]
        return names.first { (bundle ?? .main).path(forResource: $0, ofType: InterfaceArchive.nibEnding) != nil }
    }

    private func load(_ drawing: ControllerDrawing) -> Bool {
        guard var builder = drawing.builder else { return false }
        self.drawing?.builder = nil
        if let archived = drawing.scene.controller.member("view"), let made = builder.make(archived) as? UIView {
            view = made
        } else {
            view = UIView(frame: UIScreen.main.bounds)
        }
        builder.connect()
        for (holder, segue) in builder.embeds { embed(segue, in: holder) }
        return true
    }

    private func embed(_ segue: ArchivedObject.Segue, in holder: UIView) {
        guard let storyboard, let scene = storyboard.archive.scene(segue.destination),
            let child = storyboard.instantiate(scene)
        else {
            return
        }
        prepare(for: UIStoryboardSegue(identifier: segue.identifier, source: self, destination: child), sender: nil)
        addChild(child)
        child.view.frame = holder.bounds
        holder.addSubview(child.view)
        child.didMove(toParent: self)
    }

    // MARK: Segues

    /// Returns the segue of a name, of this controller or of an object in its view.
    final func drawnSegue(_ identifier: String) -> ArchivedObject.Segue? {
        func find(_ archive: ArchivedObject) -> ArchivedObject.Segue? {
            if let own = archive.segues.first(where: { $0.identifier == identifier }) { return own }
            for member in archive.members { if let found = find(member.object) { return found } }
            for list in archive.lists.values {
                for object in list { if let found = find(object) { return found } }
            }
            return nil
        }
        return drawing.flatMap { find($0.scene.controller) }
    }

    /// Follows a segue as a person's use of a control does, if `shouldPerformSegue` allows it.
    final func follow(_ segue: ArchivedObject.Segue, sender: Any?) {
        guard shouldPerformSegue(withIdentifier: segue.identifier ?? "", sender: sender) else { return }
        perform(segue, sender: sender)
    }

    /// Makes the destination, prepares this controller for the segue, and performs it.
    final func perform(_ archived: ArchivedObject.Segue, sender: Any?) {
        if let action = archived.unwind { return unwind(Selector(action), archived, sender: sender) }
        guard let storyboard, let scene = storyboard.archive.scene(archived.destination),
            let destination = storyboard.instantiate(scene)
        else { return }
        let segue = make(archived, to: destination)
        prepare(for: segue, sender: sender)
        segue.perform()
    }

    private func make(_ archived: ArchivedObject.Segue, to destination: UIViewController) -> UIStoryboardSegue {
        var type: AnyClass?
        if let custom = archived.custom {
            type = NSClassFromString(custom.contains(".") ? custom : "\(storyboard?.archive.module ?? "").\(custom)")
        }
        let segue: UIStoryboardSegue
        if let type = type as? UIStoryboardSegue.Type {
            segue = unsafeDowncast(
                unsafeBitCast(type, to: _SegueInitializerSlot.Type.self).init(
                    identifier: archived.identifier, source: self, destination: destination), to: UIStoryboardSegue.self
            )
        } else {
            segue = UIStoryboardSegue(identifier: archived.identifier, source: self, destination: destination)
        }
        segue.kind = archived.kind
        return segue
    }

    /// Unwinds to the nearest controller that has the action.
    private func unwind(_ action: Selector, _ archived: ArchivedObject.Segue, sender: Any?) {
        var below: [UIViewController] =
            (navigationController?.viewControllers.prefix { $0 !== self }).map { $0.reversed() } ?? []
        var controller = presentingViewController ?? navigationController?.presentingViewController
        while let next = controller {
            below += (next as? UINavigationController)?.viewControllers.reversed() ?? [next]
            controller = next.presentingViewController
        }
        guard let destination = below.first(where: { SelectorCall.responds($0, to: action) }) else { return }
        let segue = make(archived, to: destination)
        segue.kind = "unwind"
        prepare(for: segue, sender: sender)
        SelectorCall.send(destination, action, segue)
        segue.perform()
    }
}
