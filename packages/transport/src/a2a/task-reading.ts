import {
  isBeachError,
  type Frame,
  type FramePlace,
  type Originator,
  type PartTypeRegistry,
  type Principal,
  type Sessions,
} from '@cool-ai/beach-core'
import { originatorOf, type Caller } from './caller.ts'
import { noSuchTask, placeOf, type TaskPlace } from './task-id.ts'
import { TaskProjection } from './task-projection.ts'
import type { TaskReader } from './to-task.ts'

export interface TaskReadingOptions {
  readonly partTypes: PartTypeRegistry
  readonly artifactLink?: (artifactId: string, session: string, principal: Principal) => Promise<string | undefined>
}

/** Reads tasks out of the sessions' logs. */
export class TaskReading {
  readonly #options: TaskReadingOptions
  readonly #sessions: Sessions

  constructor(sessions: Sessions, options: TaskReadingOptions) {
    this.#sessions = sessions
    this.#options = options
  }

  /** The task as its caller may see it; somebody else's does not exist. */
  async find(taskId: string, caller: Caller, deliveryClass: Originator['deliveryClass']) {
    const place = placeOf(taskId)
    const to = originatorOf(place.session, caller, deliveryClass)
    const projection = await this.project(place, to)
    const reader = this.reader(place.session, { ...to, ...projection.understood })
    if (projection.understood.consumes === undefined) return { projection, reader }
    // What the caller consumes was said with the first message; now that it is known, more may be for it.
    return { projection: await this.project(place, reader.to), reader }
  }

  /** Whoever reads, with what is needed to say a task to them. */
  reader(session: string, to: Originator): TaskReader {
    const { partTypes, artifactLink } = this.#options
    const linkOf = artifactLink && ((id: string) => artifactLink(id, session, to.principal))
    return { sessions: this.#sessions, to, partTypes, ...(linkOf && { linkOf }) }
  }

  /** The task up to now. */
  async project(place: TaskPlace, to: Originator): Promise<TaskProjection> {
    const projection = new TaskProjection(place)
    for await (const frame of this.#framesOf(place, to)) projection.apply(frame)
    if (projection.history.length === 0) throw noSuchTask()
    return projection
  }

  async *#framesOf({ session, seq }: TaskPlace, to: Originator): AsyncGenerator<Frame> {
    try {
      yield* this.#sessions.history(session, to, { from: seq })
    } catch (error) {
      if (isBeachError(error, 'NOT_FOUND')) throw noSuchTask()
      throw error
    }
  }
}

/** Where what is not folded yet begins. */
export function placeAfter({ cursor, place }: TaskProjection): FramePlace {
  return cursor ?? { from: place.seq }
}
