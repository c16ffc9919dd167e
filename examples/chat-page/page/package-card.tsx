import { PackageLines } from './package-lines.tsx'
import type { Basket } from './scene/basket.ts'

/** A package as it was when the agent told of it. */
export function PackageCard({ basket }: { readonly basket: Basket }) {
  // That there is nothing in it, the agent says itself.
  if (basket.items.length === 0) return null
  return (
    <section class="card padded" aria-label="Package">
      <PackageLines basket={basket} />
    </section>
  )
}
