import { EventType, type Event } from '@ag-ui/core'
import type { Part } from '@cool-ai/beach-core'
import { progressSchema } from '@cool-ai/beach-protocol'

/** Long operations as steps: one begins when it is first spoken of, and ends when all of it is done, or with the run. */
export class Steps {
  readonly #open = new Set<string>()

  progress({ data }: Part): Event[] {
    const result = progressSchema.safeParse(data)
    if (!result.success) return []
    const { label: stepName, done, total } = result.data
    const isDone = done !== undefined && total !== undefined && done >= total
    const isOpen = this.#open.has(stepName)
    const started: Event[] = isOpen ? [] : [{ type: EventType.STEP_STARTED, stepName }]
    if (!isDone) {
      this.#open.add(stepName)
      return started
    }
    this.#open.delete(stepName)
    return [...started, { type: EventType.STEP_FINISHED, stepName }]
  }

  finishAll(): Event[] {
    const names = [...this.#open]
    this.#open.clear()
    return names.map((stepName) => ({ type: EventType.STEP_FINISHED, stepName }))
  }
}
