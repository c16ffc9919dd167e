import { useEffect, useRef, useState } from 'preact/hooks'
import type { Chat } from './chat.ts'
import { useSurroundings } from './context.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { QrCode } from './qr-code.tsx'
import { until } from '@cool-ai/beach-client/view'
import { useNow } from './use-now.ts'

interface DeviceSheetProps {
  readonly open: boolean
  readonly onClose: () => void
}

/** How this conversation goes on somewhere else: by a link that works once. */
export function DeviceSheet({ open, onClose }: DeviceSheetProps) {
  return (
    <Dialog class="sheet" label="Continue on another device" open={open} onClose={onClose}>
      <div class="top">
        <h2>Continue on another device</h2>
        <button class="icon-button" type="button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <OneTimeLink />
    </Dialog>
  )
}

type LinkResult = MadeLink | { readonly problem: string }
type MadeLink = Awaited<ReturnType<Chat['link']>>

function OneTimeLink() {
  const { chat } = useSurroundings()
  const [made, setMade] = useState<LinkResult>()
  useEffect(() => {
    chat.link().then(setMade, (error: unknown) => {
      setMade({ problem: error instanceof Error ? error.message : 'The link could not be made.' })
    })
  }, [chat])
  if (made === undefined) return <p>Making a link…</p>
  if ('problem' in made) return <p>{made.problem}</p>
  return <LinkText {...made} />
}

function LinkText({ url, expiresAt, isLoopback }: MadeLink) {
  const field = useRef<HTMLInputElement>(null)
  const [copied, setCopied] = useState(false)
  const now = useNow(1_000)
  const copy = async () => {
    field.current?.select()
    // Where the browser does not let a page copy, the link is selected.
    await navigator.clipboard.writeText(url).then(
      () => setCopied(true),
      () => {},
    )
  }
  return (
    <>
      {isLoopback === true ? (
        <p class="notice" role="note">
          <Icon name="alert" />
          <span>
            This link works on this computer only, in another browser: the agent’s address, {new URL(url).host}, is one
            that other devices do not reach. Give the agent a public address to continue on a phone.
          </span>
        </p>
      ) : (
        <QrCode text={url} label="The link as a QR code: scan it with the other device’s camera" />
      )}
      <p>
        Open this link there. It works once, and expires {until(expiresAt, now)}. Anyone who opens it can read and write
        here, so keep it to yourself.
      </p>
      <div class="copy">
        <input ref={field} readOnly value={url} aria-label="One-time link" onFocus={() => field.current?.select()} />
        <button class="button primary" type="button" onClick={() => void copy()}>
          <Icon name={copied ? 'check' : 'copy'} />
          {copied ? 'Copied' : 'Copy'}
        </button>
      </div>
    </>
  )
}
