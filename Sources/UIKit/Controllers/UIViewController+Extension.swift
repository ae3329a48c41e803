// UIViewController+Extension: a controller as the principal class of an extension.

extension UIViewController: InterfacePrincipal {
    package func present() { appear(true) }

    package func takeDown() {
        if presentedViewController != nil { dismiss(animated: true) }
        disappear(true)
    }
}
