import type { TaskProjection } from './task-projection.ts'

/** What one answer may hold of the content of tasks; one task goes whatever it has. */
export const maxAnswerBytes = 4_000_000

export interface TaskPageOptions {
  readonly size: number
  /** Messages of each task's history that are wanted; all when left out. */
  readonly historyLength?: number | undefined
  readonly artifacts: boolean
}

interface Entry {
  readonly task: TaskProjection
  readonly weight: number
}

/**
 * The first tasks of a list, those in which something happened last. Only what the page may hold is kept: a task that
 * has no room in it has none later either, because those that are added can only come before it.
 */
export class TaskPage {
  readonly #options: TaskPageOptions
  readonly #isAfter: (task: TaskProjection) => boolean
  #entries: Entry[] = []
  /** How many tasks there are. */
  total = 0
  /** How many of them are not on pages before. */
  left = 0

  constructor(options: TaskPageOptions, isAfter: (task: TaskProjection) => boolean) {
    this.#options = options
    this.#isAfter = isAfter
  }

  get tasks(): readonly TaskProjection[] {
    return this.#entries.map(({ task }) => task)
  }

  /** One more task, which does not change any more. */
  add(task: TaskProjection): void {
    this.total++
    if (!this.#isAfter(task)) return
    this.left++
    const index = this.#entries.findIndex((entry) => order(task, entry.task) < 0)
    const place = index === -1 ? this.#entries.length : index
    if (place >= this.#options.size) return
    this.#entries.splice(place, 0, { task, weight: this.#weigh(task) })
    this.#entries.length = this.#room()
  }

  /** How many of the entries have room. */
  #room(): number {
    let weight = 0
    const over = this.#entries.findIndex((entry, index) => (weight += entry.weight) > maxAnswerBytes && index > 0)
    return Math.min(over === -1 ? this.#entries.length : over, this.#options.size)
  }

  /** About what the task will be when it is written: its answer is in its status too. */
  #weigh({ history, artifacts, asked }: TaskProjection): number {
    const { historyLength = history.length, artifacts: wanted } = this.#options
    history.splice(0, Math.max(0, history.length - historyLength))
    const said = charactersOf([...artifacts.values()])
    return charactersOf(history) + charactersOf(asked) + (wanted ? 2 * said : said)
  }
}

/** The order of lists. */
export function order(one: Pick<TaskProjection, 'at' | 'taskId'>, other: Pick<TaskProjection, 'at' | 'taskId'>) {
  return other.at - one.at || (one.taskId < other.taskId ? -1 : 1)
}

function charactersOf(value: unknown): number {
  return JSON.stringify(value).length
}
