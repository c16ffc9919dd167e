import { useEffect, useState } from 'preact/hooks'
import { useSurroundings } from './context.ts'
import { Dialog } from './dialog.tsx'
import { joinCodeIn } from './join-code.ts'
import { useArmed } from './use-armed.ts'

/** Asks whether to follow a one-time link: the user may have been sent one that belongs to another person. */
export function JoinSheet({ code: first }: { readonly code: string | undefined }) {
  const { chat, about } = useSurroundings()
  const [code, setCode] = useState(first)
  const [open, setOpen] = useState(code !== undefined)
  const armed = useArmed(open)
  const close = () => setOpen(false)
  useEffect(() => {
    // Another link may be followed while the page is open.
    const onHash = () => {
      const next = joinCodeIn(location)
      if (next === undefined) return
      setCode(next)
      setOpen(true)
    }
    window.addEventListener('hashchange', onHash)
    return () => window.removeEventListener('hashchange', onHash)
  }, [])
  if (code === undefined) return null
  return (
    <Dialog class="sheet" label="Join a conversation" open={open} onClose={close}>
      <div class="top">
        <h2>Continue a conversation here?</h2>
      </div>
      <p>
        The link that you followed makes this browser one of its owner’s, for all that they have with {about.name}. Do
        it only with a link that you have made yourself. Conversations that this browser had before are no longer
        reached from it.
      </p>
      <div class="ways">
        <button class="button" type="button" onClick={close}>
          Not now
        </button>
        <button
          class="button primary"
          type="button"
          disabled={!armed}
          onClick={() => {
            void chat.join(code)
            close()
          }}
        >
          Go on here
        </button>
      </div>
    </Dialog>
  )
}
