/** @jsxImportSource react */

const maxLength = 1_000

/** Whether a text is longer than the shop reads. */
export function isTooLong(text: string): boolean {
  return text.trim().length > maxLength
}

/** Says that a text is too long to be sent; it stays as it is. */
export function TooLong({ text }: { readonly text: string }) {
  if (!isTooLong(text)) return null
  return (
    <p className="problem" role="alert">
      This has {text.trim().length.toLocaleString('en-GB')} characters; at most {maxLength.toLocaleString('en-GB')} can
      be sent at once. Shorten it, or send it in parts.
    </p>
  )
}
