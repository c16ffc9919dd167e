/** @jsxImportSource react */
import type { Clarify as ClarifyProps } from '@intentflow/core'
import { useFlowDispatch, useFlowState } from '@intentflow/core/react'

/** A question, with ready answers; others are typed below. */
export function Clarify({ question, options }: ClarifyProps) {
  const dispatch = useFlowDispatch()
  const isBusy = useFlowState() !== 'asking'
  return (
    <div className="clarify">
      <h2>{question}</h2>
      <div className="chips">
        {options.map(({ id, label, description }) => (
          <button
            className="chip"
            key={id}
            type="button"
            disabled={isBusy}
            title={description}
            onClick={() => void dispatch('ANSWER', { answer: label }).catch(() => {})}
          >
            {label}
          </button>
        ))}
        <button
          className="chip quiet"
          type="button"
          disabled={isBusy}
          onClick={() => void dispatch('CANCEL').catch(() => {})}
        >
          Never mind
        </button>
      </div>
    </div>
  )
}
