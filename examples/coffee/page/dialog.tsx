/** @jsxImportSource react */
import { useLayoutEffect, useRef, type ReactNode } from 'react'

interface DialogProps {
  readonly label: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Something of the page itself over the rest of it. */
export function Dialog({ label, onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog !== null && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      className="page-dialog"
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      {children}
    </dialog>
  )
}
