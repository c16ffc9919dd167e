import type { StreamPart } from '@cool-ai/beach-client'
import { useState } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** What can be done with an answer that is there. */
export function AnswerTools({ parts }: { readonly parts: readonly StreamPart[] }) {
  const [copied, setCopied] = useState(false)
  const text = parts
    .filter(({ partType }) => partType === 'response')
    .map((part) => part.text)
    .join('\n\n')
  // Only pages that are served safely may copy.
  if (text === '' || !('clipboard' in navigator)) return null
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
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
