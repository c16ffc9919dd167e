/** Something is under way, in a word if there is one. */
export function Working({ words }: { readonly words?: string }) {
  return (
    <p class="status">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {words ?? <span class="hidden">Working on it</span>}
    </p>
  )
}
