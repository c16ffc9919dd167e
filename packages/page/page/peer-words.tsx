import type { StreamPart } from '@cool-ai/beach-client'
import { useSurroundings } from './context.ts'
import { Icon } from './icon.tsx'
import { peerName } from '@cool-ai/beach-client/view'

interface PeerWordsProps {
  readonly peer: string
  readonly parts: readonly StreamPart[]
  readonly running: boolean
}

/** What another agent says while it is asked; folded once the answer to it is there. */
export function PeerWords({ peer, parts, running }: PeerWordsProps) {
  const { about } = useSurroundings()
  return (
    <details class="part thinking peer" open={running}>
      <summary>
        <Icon name="right" />
        {peerName(peer, about.peers ?? {})} said
      </summary>
      <div class="thoughts" data-said>
        {parts.map(({ partId, text }) => (
          <p key={partId}>{text}</p>
        ))}
      </div>
    </details>
  )
}
