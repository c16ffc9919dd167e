import { watchArmed } from '@cool-ai/beach-client/view'
import { useEffect, useState } from 'preact/hooks'

/** True once a button has been there for a moment with the window in front, so that it may be pressed. */
export function useArmed(isThere = true): boolean {
  const [armed, setArmed] = useState(false)
  useEffect(() => (isThere ? watchArmed(setArmed) : setArmed(false)), [isThere])
  return armed
}
