import { attaching } from '@cool-ai/beach-channel'
import {
  isBeachError,
  type ArtifactStore,
  type Frame,
  type Originator,
  type PartTypeRegistry,
  type Principal,
  type Sessions,
} from '@cool-ai/beach-core'
import type { FramePosition } from '@cool-ai/beach-core/ports'
import { CompactingMap, LruMap } from '@cool-ai/beach-core/runtime'
import { originatorOf, type Caller } from './caller.ts'
import { accepting } from './media-types.ts'
import { noSuchTask, placeOf, taskIdOf, type TaskStart } from './task-id.ts'
import { TaskProjection, type TurnStateLookup } from './task-projection.ts'
import type { TaskReader } from './to-task.ts'

export interface TaskReadingOptions {
  readonly partTypes: PartTypeRegistry
  readonly turnStates: TurnStateLookup
  readonly artifactLink?:
    | ((artifactId: string, session: string, principal: Principal) => Promise<string | undefined>)
    | undefined
  readonly artifacts?: ArtifactStore | undefined
  /** How many bytes of files go with one answer. */
  readonly attachBytes?: number | undefined
}

/** The form in which a request asks for a task. */
export interface AskedForm {
  /** The extensions of A2A that it has activated. */
  readonly extensions?: readonly string[] | undefined
  /** The media types that its caller takes; all when none are given. */
  readonly outputModes?: readonly string[] | undefined
}

const maxPassedTasks = 1_000

/** Reads tasks out of the sessions' logs. */
export class TaskReading {
  readonly #options: TaskReadingOptions
  readonly #sessions: Sessions
  /** Up to where nothing of a task's own has come since it has asked. */
  readonly #passed = new LruMap<string>(maxPassedTasks)
  readonly #underWay = new CompactingMap<string, Promise<TaskProjection>>()

  constructor(sessions: Sessions, options: TaskReadingOptions) {
    this.#sessions = sessions
    this.#options = options
  }

  /** The task as its caller may see it; another caller's does not exist. */
  async find(taskId: string, caller: Caller, deliveryClass: Originator['deliveryClass']) {
    const place = placeOf(taskId, caller)
    const to = originatorOf(place.session, caller, deliveryClass)
    // What the caller consumes was said with the first message; once it is known, more may be for it.
    const first = await this.#fold(place, to, ({ understood }) => understood.consumes !== undefined)
    const known = { ...to, ...first.understood }
    const projection = first.understood.consumes === undefined ? first : await this.project(place, known)
    return { projection, reader: this.reader(place.session, known, { ...caller, outputModes: projection.outputModes }) }
  }

  /** What a task is written with, for a caller that asks for it in this form. */
  reader(session: string, to: Originator, { extensions, outputModes }: AskedForm = {}): TaskReader {
    const { partTypes, artifactLink, artifacts, attachBytes: maxBytes } = this.#options
    const { principal, deliveryClass } = to
    const linkOf = artifactLink && ((id: string) => artifactLink(id, session, principal))
    const hasFiles = artifacts !== undefined && deliveryClass === 'buffered'
    const attaches = hasFiles ? () => attaching({ artifacts, session, tenant: principal.tenant, maxBytes }) : undefined
    return { sessions: this.#sessions, to, partTypes, linkOf, attaches, accepts: accepting(outputModes), extensions }
  }

  /** A task of which nothing is folded yet. */
  begin(place: TaskStart): TaskProjection {
    return new TaskProjection(place, this.#options.turnStates)
  }

  project(place: TaskStart, to: Originator): Promise<TaskProjection> {
    return this.#fold(place, to, () => false)
  }

  /** Folds a task until it is enough, one reader of a task at a time: what the first has seen spares the next. */
  async #fold(
    place: TaskStart,
    to: Originator,
    isEnough: (projection: TaskProjection) => boolean,
  ): Promise<TaskProjection> {
    const { deliveryClass, consumes, catalogs, llmContextLanguage } = to
    const key = JSON.stringify([taskIdOf(place), deliveryClass, consumes, catalogs, llmContextLanguage])
    const before = this.#underWay.get(key)
    const folding = (async () => {
      await before?.catch(() => {})
      return this.#foldNow(place, to, key, isEnough)
    })()
    this.#underWay.set(key, folding)
    try {
      return await folding
    } finally {
      if (this.#underWay.get(key) === folding) this.#underWay.delete(key)
    }
  }

  /**
   * Nothing changes a task that is over: the rest of the log need not be read. While a task asks, anything may come in
   * its context; what is known to be none of its own is passed over.
   */
  async #foldNow(
    place: TaskStart,
    to: Originator,
    key: string,
    isEnough: (projection: TaskProjection) => boolean,
  ): Promise<TaskProjection> {
    const projection = this.begin(place)
    let question: string | undefined
    for (let after: FramePosition | undefined = { from: place.seq }; after !== undefined;) {
      const frames: AsyncIterable<Frame> = this.#framesOf(place.session, after, to)
      after = undefined
      for await (const frame of frames) {
        projection.apply(frame)
        if (projection.isTerminal || isEnough(projection)) return projection
        if (!projection.isSettled || !projection.rests) question = undefined
        else if (question !== undefined) this.#passed.set(question, projection.cursor ?? '')
        else if (frame.cursor !== undefined) {
          question = `${key}@${frame.cursor}`
          after = this.#passed.get(question)
          if (after === undefined) continue
          projection.cursor = after
          break
        }
      }
    }
    if (projection.history.length === 0) throw noSuchTask()
    return projection
  }

  async *#framesOf(session: string, after: FramePosition, to: Originator): AsyncGenerator<Frame> {
    try {
      yield* this.#sessions.history(session, to, after)
    } catch (error) {
      if (isBeachError(error, 'NOT_FOUND')) throw noSuchTask()
      throw error
    }
  }
}

/** Where what is not folded yet begins. */
export function placeAfter({ cursor, place }: TaskProjection): FramePosition {
  return cursor ?? { from: place.seq }
}
