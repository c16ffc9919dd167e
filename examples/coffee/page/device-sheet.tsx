/** @jsxImportSource react */
import type { Conversation, SessionLink } from '@cool-ai/beach-client'
import { qrPath } from '@cool-ai/beach-page/page/qr-path'
import { useEffect, useState } from 'react'
import { Dialog } from './dialog.tsx'

type LinkResult = SessionLink | { readonly problem: string }

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
          {made.isLoopback === true ? (
            <p className="note">
              This link works on this computer only, in another browser: other devices do not reach the shop’s address,{' '}
              {new URL(made.url).host}. Give the agent a public address to continue on a phone.
            </p>
          ) : (
            <QrCode text={made.url} />
          )}
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

/** The link for the camera of the other device; dark on white, which all readers need. */
function QrCode({ text }: { readonly text: string }) {
  const { size, path } = qrPath(text)
  return (
    <svg className="qr" role="img" aria-label="The link as a QR code" viewBox={`0 0 ${size} ${size}`}>
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#111111" shapeRendering="crispEdges" />
    </svg>
  )
}
