interface SortingProps<Order extends string> {
  readonly orders: readonly (readonly [Order, string])[]
  readonly order: Order
  readonly onChange: (order: Order) => void
}

/** By what results are sorted. */
export function Sorting<Order extends string>({ orders, order, onChange }: SortingProps<Order>) {
  return (
    <div class="sorting" role="group" aria-label="Sort by">
      {orders.map(([name, words]) => (
        <button key={name} type="button" aria-pressed={name === order} onClick={() => onChange(name)}>
          {words}
        </button>
      ))}
    </div>
  )
}
