import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  readonly class: string
  readonly label: string
  readonly open: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Something over the page that has the focus until it is closed, by Escape or a click next to it. */
export function Dialog({ class: classes, label, open, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    if (open && dialog.current?.open === false) dialog.current.showModal()
    else if (!open && dialog.current?.open === true) {
      dialog.current.close()
      restoreCaret()
    }
  }, [open])
  return (
    <dialog
      ref={dialog}
      class={classes}
      aria-label={label}
      // One that the page itself has closed is told of this too, when another may be open already.
      onClose={() => open && onClose()}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      {open && children}
    </dialog>
  )
}

/** A dialog gives the focus back, but not the caret: what is typed into a field without one gets lost. */
function restoreCaret(): void {
  const field = document.activeElement
  if (field instanceof HTMLTextAreaElement) field.setSelectionRange(field.value.length, field.value.length)
}
