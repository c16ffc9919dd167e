import type { StreamPart } from '@cool-ai/beach-client'
import { Icon } from './icon.tsx'

/** What the agent thought on the way, folded until the user opens it. */
export function Thinking({ parts }: { readonly parts: readonly StreamPart[] }) {
  const open = parts.some((part) => part.open)
  return (
    <details class={`part thinking${open ? ' open' : ''}`}>
      <summary>
        <Icon name="right" />
        {parts.length === 1 ? 'A thought' : `${parts.length} thoughts`}
      </summary>
      <div class="thoughts" data-said>
        {parts.map(({ partId, text }) => (
          <p key={partId}>{text}</p>
        ))}
      </div>
    </details>
  )
}
