/** @jsxImportSource react */
import { Dialog } from './dialog.tsx'

/** Asks whether to follow a one-time link: the user may have been sent one that belongs to another person. */
export function JoinSheet({ onAnswer }: { readonly onAnswer: (joins: boolean) => void }) {
  return (
    <Dialog label="Join a conversation" onClose={() => onAnswer(false)}>
      <h2>Continue an order here?</h2>
      <p>
        The link that you followed makes this browser one of its owner’s, for all that they have with Example Coffee. Do
        it only with a link that you have made yourself.
      </p>
      <div className="ways">
        <button className="button" type="button" onClick={() => onAnswer(false)}>
          Not now
        </button>
        <button className="button primary" type="button" onClick={() => onAnswer(true)}>
          Go on here
        </button>
      </div>
    </Dialog>
  )
}
