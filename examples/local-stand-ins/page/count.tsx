/** How much is new, if anything is. */
export function Count({ count }: { readonly count: number }) {
  if (count === 0) return null
  return (
    <span class="count">
      {count}
      <span class="hidden"> new</span>
    </span>
  )
}
