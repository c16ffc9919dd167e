import { useEffect, useState } from 'preact/hooks'
import { ChannelPreviewView } from './channel-preview.tsx'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { channelPreviews, previewsPath, type ShownPreview } from './scene/channel-previews.ts'
import type { AnswerExchange, Exchange } from '@cool-ai/beach-client/view'

interface PreviewsSheetProps {
  readonly sessionId: string | undefined
  /** The turn that is shown; nothing is open without one. */
  readonly turnId: string | undefined
  readonly exchanges: readonly Exchange[]
  readonly onClose: () => void
}

const title = 'What each channel gets'

/** The same turn as each channel gets it, side by side. */
export function PreviewsSheet({ sessionId, turnId, exchanges, onClose }: PreviewsSheetProps) {
  const isOpen = sessionId !== undefined && turnId !== undefined
  const answer = exchanges.find((one): one is AnswerExchange => one.kind === 'answer' && one.key === turnId)
  return (
    <Dialog class="sheet previews" label={title} open={isOpen} onClose={onClose}>
      <div class="top">
        <h2>{title}</h2>
        <button class="icon-button" type="button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {isOpen && <Previews path={previewsPath(sessionId, turnId)} answer={answer} />}
    </Dialog>
  )
}

type PreviewResult = { readonly previews: readonly ShownPreview[] } | { readonly problem: string }

function Previews({ path, answer }: { readonly path: string; readonly answer: AnswerExchange | undefined }) {
  const [asked, setAsked] = useState<PreviewResult>()
  useEffect(() => {
    const end = new AbortController()
    channelPreviews(path, end.signal).then(
      (previews) => setAsked({ previews }),
      (error: unknown) => {
        if (end.signal.aborted) return
        setAsked({ problem: error instanceof Error ? error.message : 'It cannot be shown.' })
      },
    )
    return () => end.abort()
  }, [path])
  if (asked === undefined) return <p role="status">One moment…</p>
  if ('problem' in asked) return <p role="alert">{asked.problem}</p>
  return (
    <>
      <p class="minor">
        One answer, as each channel would get it. Nothing was sent for this; codes and links that decide are hidden.
      </p>
      <div class="channels">
        {asked.previews.map((preview) => (
          <section class="channel" key={preview.transport} aria-label={preview.label}>
            <h3>
              {preview.label} <span class="minor">{ways[preview.deliveryClass]}</span>
            </h3>
            <ChannelPreviewView preview={preview} path={path} answer={answer} />
          </section>
        ))}
      </div>
    </>
  )
}

const ways = { streaming: 'as it is said', buffered: 'once it is complete' } as const
