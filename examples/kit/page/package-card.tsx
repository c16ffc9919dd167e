import { PackageLines } from './package-lines.tsx'
import type { Basket } from './scene/basket.ts'

/** A package as it was when the agent told of it. */
export function PackageCard({ basket }: { readonly basket: Basket }) {
  return (
    <section class="card padded" role="group" aria-label="Package">
      <PackageLines basket={basket} />
    </section>
  )
}
