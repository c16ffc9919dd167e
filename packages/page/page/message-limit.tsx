/** As many characters as a message has at the most; an agent has limits of its own. */
export const maxMessageLength = 20_000

const numbers = new Intl.NumberFormat('en-GB')

/** Says that a text is too long to be sent, and by how much. It stays as it is. */
export function MessageLimit({ length }: { readonly length: number }) {
  if (length <= maxMessageLength) return null
  return (
    <p class="notice bad" role="alert">
      This message has {numbers.format(length)} characters, and at most {numbers.format(maxMessageLength)} can be sent
      at once. Shorten it, or send it in parts. Nothing of it is lost.
    </p>
  )
}
