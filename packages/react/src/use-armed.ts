import { platformOf } from '@cool-ai/beach-client/reliability'
import { useEffect, useState } from 'react'

const armedAfterMs = 700

/**
 * True once something has been there for a moment with the window in front: a click or a key that was meant for something
 * else decides nothing. With a window that comes back it begins anew.
 */
export function useArmed(): boolean {
  const [armed, setArmed] = useState(false)
  useEffect(() => {
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
  }, [])
  return armed
}
