// AnimationTests: animations of layers, and transforms of space.

import Foundation
import Testing
import UIKit

@MainActor @Suite struct AnimationTests {
    private final class Observer: NSObject, CAAnimationDelegate {
        var calls: [String] = []
        var onEnd: (() -> Void)?
        func animationDidStart(_ anim: CAAnimation) { calls.append("start") }
        func animationDidStop(_ anim: CAAnimation, finished flag: Bool) {
            calls.append("stop \(anim.value(forKey: "name") ?? "") \(flag)")
            onEnd?()
        }
    }

    @Test(arguments: [true, false]) func anAnimationEndsAfterThePresentWork(isRemoved: Bool) async {
        let (layer, observer) = (CALayer(), Observer())
        let animation = CABasicAnimation(keyPath: "opacity")
        animation.delegate = observer
        animation.isRemovedOnCompletion = isRemoved
        animation.setValue("fade", forKey: "name")
        await withCheckedContinuation { ended in
            observer.onEnd = { ended.resume() }
            layer.add(animation, forKey: "fade")
            #expect(observer.calls == ["start"] && layer.animation(forKey: "fade") === animation)
        }
        #expect(observer.calls == ["start", "stop fade true"])
        #expect((layer.animation(forKey: "fade") == nil) == isRemoved)
    }

    @Test("an animator makes its changes at its start, and ends later, once")
    func anAnimatorEndsLater() async {
        let view = UIView()
        var calls: [String] = []
        let animator = UIViewPropertyAnimator(duration: 1, curve: .linear) { view.alpha = 0 }
        animator.addAnimations { view.isHidden = true }
        #expect(view.alpha == 1 && animator.state == .inactive)
        await withCheckedContinuation { ended in
            animator.addCompletion { position in
                calls.append("end \(position == .end)")
                ended.resume()
            }
            animator.startAnimation()
            calls.append("after")
            #expect(view.alpha == 0 && view.isHidden && animator.isRunning)
            animator.addAnimations { view.alpha = 0.5 }
            #expect(view.alpha == 0.5)
        }
        #expect(calls == ["after", "end true"] && animator.state == .inactive)
        animator.addCompletion { calls.append("\($0)") }
        animator.startAnimation()
        animator.stopAnimation(false)
        animator.finishAnimation(at: .current)
        animator.startAnimation()
        animator.stopAnimation(true)
        #expect(calls.last == "current" && animator.state == .inactive)
    }

    @Test("the changes of a view are made at once, and the handler of the end comes after the code that follows")
    func aViewsAnimationEndsLater() async {
        let view = UIView()
        var calls: [String] = []
        await withCheckedContinuation { ended in
            UIView.animate(withDuration: 0.3) {
                view.alpha = 0
            } completion: { isFinished in
                calls.append("first \(isFinished)")
                UIView.animate(withDuration: 0, delay: 1, animations: {}) { _ in
                    calls.append("second")
                    ended.resume()
                }
            }
            UIView.transition(with: view, duration: 1, animations: nil) { _ in calls.append("transition") }
            calls.append("code, alpha \(view.alpha)")
        }
        #expect(calls == ["code, alpha 0.0", "first true", "transition", "second"])
    }

    @Test func transformsAreMatrices() {
        func near(_ a: CGFloat, _ b: CGFloat) -> Bool { abs(a - b) < 1e-12 }
        #expect(CATransform3DIsIdentity(CATransform3DIdentity) && CATransform3DIsIdentity(CALayer().transform))
        // A quarter turn about z moves the x axis to the y axis, as CGAffineTransform does.
        let turn = CATransform3DMakeRotation(.pi / 2, 0, 0, 2)
        #expect(near(turn.m11, 0) && near(turn.m12, 1) && near(turn.m21, -1) && near(turn.m22, 0) && turn.m33 == 1)
        let flip = CATransform3DMakeRotation(.pi / 2, 1, 0, 0)
        #expect(near(flip.m23, 1) && near(flip.m32, -1) && flip.m11 == 1)
        #expect(CATransform3DIsIdentity(CATransform3DMakeRotation(1, 0, 0, 0)))
        // The added step comes first.
        let moved = CATransform3DTranslate(CATransform3DMakeScale(2, 3, 4), 1, 1, 1)
        #expect((moved.m41, moved.m42, moved.m43) == (2, 3, 4))
        let scaled = CATransform3DScale(CATransform3DMakeTranslation(1, 1, 1), 2, 2, 2)
        #expect(scaled.m41 == 1 && scaled.m11 == 2)
        var deep = CATransform3DIdentity
        deep.m34 = 1 / 400
        #expect(near(CATransform3DRotate(deep, .pi, 1, 0, 0).m34, -1 / 400))
    }
}
