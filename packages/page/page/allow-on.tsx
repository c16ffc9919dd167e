import type { Approving } from '@cool-ai/beach-client'
import { currencySign } from '@cool-ai/beach-client/view'

interface AllowOnProps {
  /** What the call costs; absent when it has no price. */
  readonly amount?: { readonly value: number; readonly currency: string } | undefined
  readonly allow: Approving['allow']
  readonly onChange: (allow: Approving['allow']) => void
}

/** Lets the approver allow the tool for the rest of the conversation, up to a sum where it costs something. */
export function AllowOn({ amount, allow, onChange }: AllowOnProps) {
  const first = amount === undefined ? {} : { upTo: Math.ceil(amount.value) }
  return (
    <div class="allow-on">
      <label>
        <input
          type="checkbox"
          checked={allow !== undefined}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? first : undefined)}
        />
        Allow this without asking again in this conversation
      </label>
      {allow !== undefined && amount !== undefined && (
        <label>
          up to {currencySign(amount.currency)}
          <input
            type="number"
            min="1"
            value={allow.upTo}
            onInput={({ currentTarget }) => onChange({ upTo: currentTarget.valueAsNumber })}
          />
          in all
        </label>
      )}
    </div>
  )
}
