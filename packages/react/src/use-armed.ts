import { watchArmed } from '@cool-ai/beach-client/view'
import { useEffect, useState } from 'react'

/** True once a button has been there for a moment with the window in front, so that it may be pressed. */
export function useArmed(): boolean {
  const [armed, setArmed] = useState(false)
  useEffect(() => watchArmed(setArmed), [])
  return armed
}
