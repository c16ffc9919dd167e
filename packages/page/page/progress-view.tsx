import type { StreamPart } from '@cool-ai/beach-client'
import { fields, finite, text } from '@cool-ai/beach-client/view'

/** How far something has come. */
export function ProgressView({ part: { data } }: { readonly part: StreamPart }) {
  const given = fields(data)
  const label = text(given.label) ?? 'Working'
  const done = finite(given.done)
  const total = finite(given.total)
  const known = done !== undefined && total !== undefined && total > 0
  const unit = text(given.unit)
  return (
    <div class="part progress">
      <p class="label">
        <span>{label}</span>
        {known && (
          <span class="amount">
            {done} of {total} {unit}
          </span>
        )}
      </p>
      {known ? (
        <progress aria-label={label} max={total} value={Math.min(done, total)} />
      ) : (
        <progress aria-label={label} />
      )}
    </div>
  )
}
