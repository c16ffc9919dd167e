import { useEffect, useRef, useState } from 'preact/hooks'
import type { Scene } from './chat.ts'
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
  useEffect(() => {
    const { announcement, now } = announcementOf(scene, announced.current)
    announced.current = now
    if (announcement !== undefined) setWords(announcement)
  }, [scene])
  return (
    <p class="hidden" role="status">
      {words}
    </p>
  )
}
