/** @jsxImportSource react */
import type { Conversation } from '@cool-ai/beach-client'
import { useEffect, useState } from 'react'
import { Dialog } from './dialog.tsx'

type LinkResult = { readonly url: string } | { readonly problem: string }

/** How the order goes on somewhere else: by a link that works once. */
export function DeviceSheet({
  conversation,
  onClose,
}: {
  readonly conversation: Conversation
  readonly onClose: () => void
}) {
  const [made, setMade] = useState<LinkResult>()
  useEffect(() => {
    conversation.link().then(setMade, (error: unknown) => {
      setMade({ problem: error instanceof Error ? error.message : 'The link could not be made.' })
    })
  }, [conversation])
  return (
    <Dialog label="Continue on another device" onClose={onClose}>
      <h2>Continue on another device</h2>
      {made === undefined && <p role="status">Making a link…</p>}
      {made !== undefined && 'problem' in made && <p role="alert">{made.problem}</p>}
      {made !== undefined && 'url' in made && (
        <>
          <p>Open this link there. It works once. Anyone who opens it can order for you, so keep it to yourself.</p>
          <input readOnly value={made.url} aria-label="One-time link" onFocus={(event) => event.target.select()} />
        </>
      )}
      <div className="ways">
        <button className="button" type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
