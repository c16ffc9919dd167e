import type { StreamPart } from '@cool-ai/beach-client'
import { useState } from 'preact/hooks'
import { useShowPreviews } from './context.ts'
import { Icon } from './icon.tsx'
import { peerOf } from '@cool-ai/beach-client/view'

interface AnswerToolsProps {
  readonly turnId: string
  readonly parts: readonly StreamPart[]
}

/** What can be done with an answer that is there. */
export function AnswerTools({ turnId, parts }: AnswerToolsProps) {
  const showPreviews = useShowPreviews()
  return (
    <span class="tools">
      <button
        class="icon-button tool"
        type="button"
        aria-label="See what each channel gets of this answer"
        title="See what each channel gets"
        onClick={() => showPreviews(turnId)}
      >
        <Icon name="channels" />
      </button>
      <CopyButton parts={parts} />
    </span>
  )
}

function CopyButton({ parts }: { readonly parts: readonly StreamPart[] }) {
  const [copied, setCopied] = useState(false)
  const text = parts
    .filter((part) => part.partType === 'response' && peerOf(part) === undefined)
    .map((part) => part.text)
    .join('\n\n')
  // Only pages that are served safely may copy.
  if (text === '' || !('clipboard' in navigator)) return null
  const copy = async () => {
    // A browser may not let a page copy.
    await navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => {},
    )
  }
  return (
    <button
      class="icon-button tool"
      type="button"
      aria-label={copied ? 'Copied' : 'Copy the answer'}
      title={copied ? 'Copied' : 'Copy the answer'}
      onClick={() => void copy()}
    >
      <Icon name={copied ? 'check' : 'copy'} />
    </button>
  )
}
