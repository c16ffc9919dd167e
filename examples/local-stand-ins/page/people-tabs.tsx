import { Count } from './count.tsx'

interface PeopleTabsProps {
  readonly label: string
  readonly people: readonly {
    readonly id: string
    readonly name: string
    readonly detail: string
    readonly count: number
  }[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
}

/** Whose things are looked at. */
export function PeopleTabs({ label, people, chosen, onChoose }: PeopleTabsProps) {
  return (
    <div class="people" role="group" aria-label={label}>
      {people.map(({ id, name, detail, count }) => (
        <button key={id} type="button" aria-pressed={id === chosen} onClick={() => onChoose(id)}>
          <span class="name">
            {name}
            <Count count={count} />
          </span>
          <span class="minor">{detail}</span>
        </button>
      ))}
    </div>
  )
}
