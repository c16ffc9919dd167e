/** @jsxImportSource react */
import type { PropsOf } from '@intentflow/core'
import { useFlowContext, useFlowDispatch } from '@intentflow/core/react'
import { useState } from 'react'
import type { Category } from '../../domain/menu.ts'
import { dollars, sum } from '../../domain/money.ts'
import type { menuBrowse } from '../../flows/menu-browse.ts'
import { SayField } from '../say-field.tsx'
import { Problem } from './problem.tsx'

type Props = PropsOf<typeof menuBrowse>
type Item = Props['items'][number]

/** All that there is, by kind; what one takes becomes an order. */
export function MenuBrowse({ items, categories }: Props) {
  const { category, vegan } = useFlowContext<{ readonly category: Category | null; readonly vegan: boolean }>()
  const dispatch = useFlowDispatch()
  const filter = (payload: object) => void dispatch('FILTER', { ...payload }).catch(() => {})
  const shown = categories.filter(({ id }) => category === null || id === category)
  return (
    <div className="menu">
      <h2>Menu</h2>
      <div className="chips filters" role="group" aria-label="What to show">
        <button
          className="chip"
          type="button"
          aria-pressed={category === null}
          onClick={() => filter({ category: null })}
        >
          All
        </button>
        {categories.map(({ id, label }) => (
          <button
            className="chip"
            type="button"
            key={id}
            aria-pressed={category === id}
            onClick={() => filter({ category: id })}
          >
            {label}
          </button>
        ))}
        <button className="chip" type="button" aria-pressed={vegan} onClick={() => filter({ vegan: !vegan })}>
          Vegan
        </button>
      </div>
      <Problem />
      {shown.map(({ id, label }) => {
        const own = items.filter((item) => item.category === id && (!vegan || item.vegan))
        return (
          own.length > 0 && (
            <section key={id} aria-label={label}>
              <h3>{label}</h3>
              <ul className="grid">
                {own.map((item) => (
                  <MenuCard key={item.id} item={item} />
                ))}
              </ul>
            </section>
          )
        )
      })}
      <SayField hint="Or say it: “only cold drinks”" />
    </div>
  )
}

function MenuCard({ item }: { readonly item: Item }) {
  const dispatch = useFlowDispatch()
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({})
  const extras = Object.entries(item.options).map(([option, choices]) => {
    return (choices.find(({ id }) => id === chosen[option]) ?? choices[0])?.extra ?? 0
  })
  return (
    <li className="card item">
      <div className="what">
        <strong>{item.name}</strong>
        <span className="price">{dollars(sum([item.price, ...extras]))}</span>
      </div>
      <p className="hint">
        {item.description}
        {item.vegan && <small className="tag">vegan</small>}
      </p>
      <div className="how">
        {Object.entries(item.options).map(([option, choices]) => (
          <select
            key={option}
            aria-label={`${item.name}: ${option}`}
            value={chosen[option] ?? choices[0]?.id}
            onChange={(event) => setChosen({ ...chosen, [option]: event.target.value })}
          >
            {choices.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        ))}
        <span className="spring" />
        <button
          className="button small primary"
          type="button"
          aria-label={`Order ${item.name}`}
          onClick={() => void dispatch('ORDER', { name: item.id, quantity: 1, ...chosen }).catch(() => {})}
        >
          Order
        </button>
      </div>
    </li>
  )
}
