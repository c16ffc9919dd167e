import { valueAt, withValueAt } from '../model/data-model.ts'
import type { Reference } from '../model/surfaces.ts'
import { quoted } from '../plain.ts'
import { absolutePath } from '../pointer.ts'
import { a2uiLimits } from './limits.ts'
import type { Problems } from './problems.ts'

interface Placed {
  readonly path: string
  readonly references: readonly Reference[]
}

/** A component of a list, with its place in what was given. */
export interface PlacedComponent {
  readonly id: string
  /** The components that it refers to. */
  readonly references: readonly Reference[]
  readonly path: string
}

/** What components make together: the rules that no schema of a single component can hold. */
export class Structure {
  readonly #problems: Problems
  readonly #components = new Map<string, Placed>()
  /** All that was ever referred to: what was shown once and then replaced is no orphan. */
  readonly #referred = new Set<string>()
  #data: unknown
  #lastList = ''

  constructor(problems: Problems) {
    this.#problems = problems
  }

  setData(path: string, value: unknown): void {
    this.#data = withValueAt(this.#data, path, value)
  }

  /** Adds the components of one message, or replaces those of the same id. */
  add(components: readonly PlacedComponent[], list: string): void {
    const ids = new Set<string>()
    this.#lastList = list
    for (const { id, references, path } of components) {
      if (ids.has(id)) {
        const remedy = 'Give each component of a list an id of its own.'
        this.#problems.add(`${path}/id`, `The id ${quoted(id)} is used more than once.`, remedy)
      }
      ids.add(id)
      this.#components.set(id, { path, references })
      for (const reference of references) this.#referred.add(reference.id)
    }
    this.#checkCircles(ids)
  }

  /** The rules for a surface that the payload has created itself, and that is therefore there as a whole. */
  end(): void {
    if (this.#components.size === 0) return
    if (!this.#components.has('root')) {
      const remedy = `One component must have the id "root": it is the one that is shown.`
      this.#problems.add(this.#lastList, 'There is no component with the id "root".', remedy)
    }
    for (const [id, { path, references }] of this.#components) {
      for (const reference of references) {
        if (this.#components.has(reference.id)) continue
        const remedy = 'Add a component with this id to the list, or refer to one that is there.'
        const problem = `The component ${quoted(id)} refers to ${quoted(reference.id)}, which is not there.`
        this.#problems.add(`${path}${reference.path}`, problem, remedy)
      }
    }
    this.#checkOrphans()
    this.#checkSize()
  }

  #checkOrphans(): void {
    if (!this.#components.has('root')) return
    const reached = new Set(['root'])
    const rest = ['root']
    for (let id = rest.pop(); id !== undefined; id = rest.pop()) {
      for (const reference of this.#components.get(id)?.references ?? []) {
        if (reached.has(reference.id)) continue
        reached.add(reference.id)
        rest.push(reference.id)
      }
    }
    for (const [id, { path }] of this.#components) {
      if (reached.has(id) || this.#referred.has(id)) continue
      const remedy = `Name it among the children of a component that is shown, or leave it out.`
      this.#problems.add(path, `The component ${quoted(id)} is not part of what "root" shows.`, remedy)
    }
  }

  /** A circle that an update makes goes through one of the components that it brings. */
  #checkCircles(updated: ReadonlySet<string>): void {
    const done = new Set<string>()
    for (const start of updated) {
      const circle = this.#circleFrom(start, done)
      if (circle === undefined) continue
      const remedy = 'A component cannot stand inside itself: remove one of these references.'
      const path = this.#components.get(circle[0] ?? '')?.path ?? ''
      this.#problems.add(path, `Components contain each other: ${circle.map((id) => quoted(id)).join(' → ')}.`, remedy)
      return
    }
  }

  #circleFrom(start: string, done: Set<string>): string[] | undefined {
    const trail: { id: string; next: number }[] = [{ id: start, next: 0 }]
    const open = new Set([start])
    for (let last = trail.at(-1); last !== undefined; last = trail.at(-1)) {
      const next = done.has(last.id) ? undefined : this.#components.get(last.id)?.references[last.next++]
      if (next === undefined) {
        done.add(last.id)
        open.delete(last.id)
        trail.pop()
      } else if (open.has(next.id)) {
        const ids = trail.map(({ id }) => id)
        return [...ids.slice(ids.indexOf(next.id)), next.id]
      } else {
        open.add(next.id)
        trail.push({ id: next.id, next: 0 })
      }
    }
    return undefined
  }

  /** How much is shown: references to the same component, and templates, multiply. */
  #checkSize(): void {
    // What goes in circles has no size, and has been reported.
    if (this.#problems.list.length > 0) return
    let shown = 0
    const rest = [{ id: 'root', base: '/', depth: 1 }]
    for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
      const { id, base, depth } = next
      shown++
      if (shown > a2uiLimits.shown || depth > a2uiLimits.depth) {
        const [problem, max] =
          depth > a2uiLimits.depth
            ? ['Components stand in one another too deep', a2uiLimits.depth]
            : ['The surface shows too many components', a2uiLimits.shown]
        this.#problems.add(this.#lastList, `${problem}.`, `At most ${max} are allowed: show less at once.`)
        return
      }
      for (const reference of this.#components.get(id)?.references ?? []) {
        for (const place of this.#placesOf(reference, base))
          rest.push({ id: reference.id, base: place, depth: depth + 1 })
      }
    }
  }

  #placesOf({ repeatedFor }: Reference, base: string): string[] {
    if (repeatedFor === undefined) return [base]
    const list = absolutePath(repeatedFor, base)
    const items = valueAt(this.#data, list)
    const max = Array.isArray(items) ? Math.min(items.length, a2uiLimits.shown + 1) : 0
    return Array.from({ length: max }, (_, index) => `${list}/${index}`)
  }
}
