/** @jsxImportSource react */
import type { Pending } from '@cool-ai/beach-client'
import { FlowRenderer, useActiveFlows, useFlowClient } from '@intentflow/core/react'
import { useEffect, useRef } from 'react'
import type { Entry } from './transcript.ts'

interface TranscriptProps {
  readonly entries: readonly Entry[]
  readonly pending: readonly Pending[]
  readonly isThinking: boolean
}

/** What was said, with the flows that stand in it. */
export function Transcript({ entries, pending, isThinking }: TranscriptProps) {
  const end = useRef<HTMLDivElement>(null)
  const count = entries.length + pending.length
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'end' })
  }, [count])
  return (
    <main className="transcript" aria-label="Conversation" tabIndex={0}>
      {count === 0 && (
        <div className="welcome">
          <h2>What can we get you?</h2>
          <p>Say it in your own words, or pick one of these. Alex is a regular: the usual is a large oat cappuccino.</p>
        </div>
      )}
      <div role="log" aria-live="polite">
        {entries.map((entry) => (
          <EntryView key={entry.key} entry={entry} />
        ))}
        {pending.map(({ key, parts, error }) => (
          <div className="said user pending" key={key}>
            <p>{parts.map(({ text }) => text ?? '').join('')}</p>
            {error && <p role="alert">{error.message}</p>}
          </div>
        ))}
      </div>
      {isThinking && <p className="thinking">One moment…</p>}
      <div ref={end} />
    </main>
  )
}

function EntryView({ entry }: { readonly entry: Entry }) {
  switch (entry.kind) {
    case 'said':
      return (
        <div className={`said ${entry.role}`}>
          <p>{entry.text}</p>
        </div>
      )
    case 'flow':
      return <InlineFlow instanceId={entry.instanceId} />
    case 'ended':
      return <Ended {...entry} />
    case 'problem':
      return (
        <p className="problem" role="alert">
          {entry.text}
        </p>
      )
  }
}

/** A flow where it came in the conversation, for as long as it is open. */
function InlineFlow({ instanceId }: { readonly instanceId: string }) {
  const isOpen = useActiveFlows().some((flow) => flow.instanceId === instanceId && !flow.dismissing)
  if (!isOpen) return null
  return (
    <section className="card inline" data-instance-id={instanceId}>
      <FlowRenderer instanceId={instanceId} />
    </section>
  )
}

/** What became of a flow, and what may come next. */
function Ended({ text, next }: Extract<Entry, { kind: 'ended' }>) {
  const flows = useFlowClient()
  return (
    <div className="ended">
      <p>{text}</p>
      {next && (
        <button
          className="button primary"
          type="button"
          onClick={() => void flows.invoke(next.intentId, next.props).catch(() => {})}
        >
          {next.label}
        </button>
      )}
    </div>
  )
}
