import { useEffect, useState } from 'preact/hooks'

const armedAfterMs = 700

/**
 * True once something has been there for a moment with the window in front: a click or a key that was meant for something
 * else, or that another window asked for, decides nothing. With a window that comes back it begins anew.
 */
export function useArmed(isThere = true): boolean {
  const [armed, setArmed] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const disarm = () => {
      clearTimeout(timer)
      setArmed(false)
    }
    const arm = () => {
      disarm()
      if (isThere && document.hasFocus()) timer = setTimeout(() => setArmed(true), armedAfterMs)
    }
    arm()
    window.addEventListener('focus', arm)
    window.addEventListener('blur', disarm)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('focus', arm)
      window.removeEventListener('blur', disarm)
    }
  }, [isThere])
  return armed
}
