// UIViewController+Extension: a controller as the principal class of an extension.

extension UIViewController: InterfacePrincipal {
    package func present() {
        join(UIWindow(hosting: self))
        appear(true)
    }

    package func takeDown() {
        if presentedViewController != nil { dismiss(animated: true) }
        disappear(true)
        join(nil as UIWindow?)
    }
}
