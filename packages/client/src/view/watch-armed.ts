import { platformOf } from '../reliability/platform.ts'

const armedAfterMs = 700

/**
 * Says whether a button may be pressed: once it has been there for a moment with the window in front, because a click or a
 * key that was meant for something else, or that another window asked for, must decide nothing. With a window that comes
 * back it begins anew. The returned function ends it.
 */
export function watchArmed(setArmed: (isArmed: boolean) => void): () => void {
  const { clock } = platformOf({})
  let cancel = () => {}
  const disarm = () => {
    cancel()
    setArmed(false)
  }
  const arm = () => {
    disarm()
    if (document.hasFocus()) cancel = clock.timer(armedAfterMs, () => setArmed(true))
  }
  arm()
  window.addEventListener('focus', arm)
  window.addEventListener('blur', disarm)
  return () => {
    cancel()
    window.removeEventListener('focus', arm)
    window.removeEventListener('blur', disarm)
  }
}
