import { useEffect, useRef, useState } from 'preact/hooks'
import { useSurroundings } from './context.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { until } from './scene/format.ts'
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

type LinkResult = { readonly url: string; readonly expiresAt: number } | { readonly problem: string }

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

function LinkText({ url, expiresAt }: { readonly url: string; readonly expiresAt: number }) {
  const field = useRef<HTMLInputElement>(null)
  const [copied, setCopied] = useState(false)
  const now = useNow(1_000)
  const copy = async () => {
    field.current?.select()
    await navigator.clipboard.writeText(url)
    setCopied(true)
  }
  return (
    <>
      <p>
        Open this link there. It works once, and until it expires {until(expiresAt, now)}. Anyone who opens it can read
        and write here, so keep it to yourself.
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
