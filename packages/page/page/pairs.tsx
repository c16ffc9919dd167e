/** Names and values, all of them. */
export function Pairs({ pairs }: { readonly pairs: readonly { readonly name: string; readonly value: string }[] }) {
  return (
    <dl class="pairs">
      {pairs.map(({ name, value }) => (
        <>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  )
}
