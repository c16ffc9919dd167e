import type { StreamPart } from '@cool-ai/beach-client'
import { useSurroundings } from './context.ts'
import { Icon } from './icon.tsx'
import { peerOf } from '@cool-ai/beach-client/view'

/** What went wrong, and what can be done now. */
export function Fault({ parts, last }: { readonly parts: readonly StreamPart[]; readonly last: boolean }) {
  const { chat } = useSurroundings()
  const error = parts.findLast((part) => part.partType === 'error' && peerOf(part) === undefined)
  // What fails again the same way, such as a key that the provider refuses, is not offered again.
  const mayPass = error?.metadata.retryable !== false
  return (
    <section class="fault" role="group" aria-label="Error">
      <div class="part error">
        <Icon name="alert" />
        <p data-said>{error?.text ?? 'Something went wrong, and this could not be answered.'}</p>
      </div>
      {last && (
        <div class="ways">
          {mayPass && (
            <button class="button small" type="button" onClick={() => chat.sayAgain()}>
              <Icon name="retry" />
              Try again
            </button>
          )}
          <button class="button small" type="button" onClick={() => void chat.fresh()}>
            New conversation
          </button>
        </div>
      )}
    </section>
  )
}
