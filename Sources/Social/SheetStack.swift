// SheetStack: the navigation controller around a compose sheet, whose bar and pushes authors use.

import Foundation
import UIKit

/// A stack with the sheet at its bottom. A pushed controller is shown as an option's controller is.
@MainActor final class SheetStack: UINavigationController {
    private(set) weak var sheet: SLComposeServiceViewController?

    convenience init(of sheet: SLComposeServiceViewController) {
        self.init(nibName: nil, bundle: nil)
        self.sheet = sheet
        navigationBar.stack = self
    }

    override var viewControllers: [UIViewController] {
        get { [sheet, sheet?.configurationViewController].compactMap { $0 } }
        set {
            while (sheet?.navigationController as? SheetStack)?.popViewController(animated: false) != nil {}
            for controller in newValue where controller !== sheet { pushViewController(controller, animated: false) }
        }
    }
    override var topViewController: UIViewController? { viewControllers.last }

    override func loadView() { view = UIView(frame: UIScreen.main.bounds) }

    override func pushViewController(_ controller: UIViewController, animated: Bool) {
        sheet?.pushConfigurationViewController(controller)
    }

    override func popViewController(animated: Bool) -> UIViewController? {
        let popped = sheet?.configurationViewController
        sheet?.popConfigurationViewController()
        return popped
    }

    override func popToRootViewController(animated: Bool) -> [UIViewController]? {
        popViewController(animated: animated).map { [$0] }
    }
}
