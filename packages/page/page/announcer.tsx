import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { Scene } from './chat.ts'
import { WaitingContext } from './context.ts'
import { announcementOf, type AnnouncedState } from './scene/announcements.ts'

/** Tells users of screen readers what has come, once it is complete: not each word, and nothing of the past. */
export function Announcer({ scene }: { readonly scene: Scene }) {
  const announced = useRef<AnnouncedState>({
    since: Date.now(),
    running: new Set(),
    over: new Set(),
    asked: new Set(),
    state: 'connecting',
  })
  const [words, setWords] = useState<string>()
  const { isOwn } = useContext(WaitingContext)
  useEffect(() => {
    const approvals = scene.approvals.filter(({ approvalId }) => isOwn(approvalId) === true)
    const { announcement, now } = announcementOf({ ...scene, approvals }, announced.current)
    announced.current = now
    if (announcement !== undefined) setWords(announcement)
  }, [scene, isOwn])
  return (
    <p class="hidden" role="status">
      {words}
    </p>
  )
}
