import { BeachError, simulatedRuntime, systemClock, type Actor, type Runtime, type Store } from '@cool-ai/beach-core'
import { toLogged, type SessionEvent } from '@cool-ai/beach-core/log'
import type { ReplayReport, ReplayRequest } from '@cool-ai/beach-core/ports'
import { ReplayClock } from './replay-clock.ts'
import type { ReplayPlace } from './replay-place.ts'
import { differenceOf } from './replay-report.ts'
import { SessionReplay, type SessionReplayOptions } from './session-replay.ts'

/** What a replay runs with: the settings of a process, less what reaches the outside. */
export interface ReplayOptions extends Omit<
  SessionReplayOptions,
  'session' | 'events' | 'from' | 'turns' | 'isChanged' | 'runtime' | 'clock' | 'actors'
> {
  readonly store: Store
  /** The actors, each to be made one of a replay, and then one of the agent. */
  readonly actors: Readonly<Record<string, Actor>>
  /** The actors as those of the agent. */
  readonly place: (
    actors: Readonly<Record<string, Actor>>,
    recordPrompts: boolean,
  ) => Promise<Readonly<Record<string, Actor>>>
  /** The longest log that is replayed; 20,000 events when left out. */
  readonly maxEvents?: number | undefined
  /** How long it may take; ten minutes when left out. */
  readonly maxMs?: number | undefined
}

const pageSize = 500
const defaultMaxEvents = 20_000
const maxCharacters = 50_000_000
const maxPageCharacters = 1_000_000
const defaultMaxMs = 600_000
const maxProblems = 100

/**
 * Runs a recorded session again, in memory, and says what is different. Messages, decisions and all other input, and the
 * answers of tools, come from the record; nothing is sent, and no tool runs.
 */
export async function replaySession(options: ReplayOptions, request: ReplayRequest): Promise<ReplayReport> {
  const { store, actors, place, signal, maxEvents = defaultMaxEvents, maxMs = defaultMaxMs, ...turns } = options
  const { session, model, instructions } = request
  const events = await eventsOf(store, session, maxEvents)
  const from = beginOf(events, request)
  const problems: string[] = []
  const clock = new ReplayClock(events[0]?.at ?? 0, systemClock)
  const replayed = runtimeOf(clock, problems, () => replay.place.nextTurnId())
  const hasPrompts = events.some((event) => event.type === 'actorNoted' && event.kind === 'prompt')
  const late = new AbortController()
  const ending = signal === undefined ? late.signal : AbortSignal.any([signal, late.signal])
  const replay: SessionReplay = new SessionReplay({
    ...turns,
    session,
    events,
    from,
    turns: request.turns,
    isChanged: model !== undefined || instructions !== undefined,
    runtime: replayed,
    clock,
    signal: ending,
    actors: async (playing) => place(await playedBy(actors, request, playing, replayed), hasPrompts),
  })
  const cancel = systemClock.timer(maxMs, () => {
    const advice = 'An actor may wait for something that is not in the record.'
    late.abort(new BeachError('TIMEOUT', `The replay did not come to its end in ${maxMs / 1_000} seconds. ${advice}`))
  })
  try {
    await replay.run()
  } finally {
    cancel()
  }
  const until = endOf(events, from, request.turns)
  const compared = differenceOf(events.slice(0, until), replay.place.events, from, replay.place.notRecorded)
  return {
    session,
    from: request.from,
    model: nameOf(model),
    ...(instructions !== undefined && { instructions: true }),
    ...compared,
    problems,
  }
}

async function playedBy(
  actors: Readonly<Record<string, Actor>>,
  { model, instructions, actor: only }: ReplayRequest,
  place: ReplayPlace,
  runtime: Runtime,
): Promise<Record<string, Actor>> {
  if (only !== undefined && !isPlayed(actors[only])) {
    const known = Object.entries(actors).flatMap(([name, actor]) => (isPlayed(actor) ? [name] : []))
    throw new BeachError(
      'BAD_REQUEST',
      `No model plays an actor '${only}'. Models play: ${known.join(', ') || 'none'}.`,
    )
  }
  const isAsked = model !== undefined || instructions !== undefined
  if (isAsked && !Object.values(actors).some(isPlayed)) {
    throw new BeachError('BAD_REQUEST', 'No actor of this agent is played by a model: there is nothing to change.')
  }
  const lacking = (name: string, signal: AbortSignal) => place.hang(signal, 'model', name)
  const given = { runtime, answers: (turnId: string) => place.answers(turnId), lacking }
  const played = Object.entries(actors).map(async ([name, actor]): Promise<[string, Actor]> => {
    const changes = only === undefined || only === name ? { model, instructions } : {}
    return [name, (await actor.replayed?.({ ...given, ...changes })) ?? actor]
  })
  return Object.fromEntries(await Promise.all(played))
}

/** True for an actor that a model plays. */
function isPlayed(actor: Actor | undefined): boolean {
  return actor?.replayed !== undefined
}

async function eventsOf(store: Store, session: string, max: number): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  let characters = 0
  for (let at = 0; ;) {
    const page = await store.read(session, at, pageSize, maxPageCharacters)
    if (page.length === 0) break
    events.push(...page.map((stored) => toLogged(stored).event))
    if (events.length > max) {
      throw new BeachError('TOO_LARGE', `The session has more than ${max} events, the most that are replayed.`)
    }
    characters += JSON.stringify(page).length
    if (characters > maxCharacters) {
      throw new BeachError(
        'TOO_LARGE',
        `The session has more than ${maxCharacters} characters, the most that are replayed.`,
      )
    }
    at = page.at(-1)?.seq ?? at
  }
  if (events.length === 0) throw new BeachError('NOT_FOUND', `There is no session '${session}' in this store.`)
  if (events.some(({ type }) => type === 'dataErased')) {
    throw new BeachError('BAD_REQUEST', 'Content of this session was erased: it cannot be replayed.')
  }
  return events
}

/** The place of the first event that is replayed. */
function beginOf(events: readonly SessionEvent[], { from }: ReplayRequest): number {
  if (from === undefined) return 0
  const place = events.findIndex((event) => event.type === 'turnStarted' && event.turnId === from)
  if (place === -1) throw new BeachError('NOT_FOUND', `The session has no turn '${from}'.`)
  return place
}

/** The place after the last turn that is replayed. */
function endOf(events: readonly SessionEvent[], from: number, turns = Infinity): number {
  const starts = [...events.entries()].filter(([place, { type }]) => place >= from && type === 'turnStarted')
  return starts[turns]?.[0] ?? events.length
}

function runtimeOf(clock: ReplayClock, problems: string[], nextTurnId: () => string | undefined): Runtime {
  const simulated = simulatedRuntime()
  return {
    clock,
    random: () => simulated.random(),
    id: (prefix) => (prefix === 'turn' ? nextTurnId() : undefined) ?? simulated.id(prefix),
    logger: {
      log(level, message, { error } = {}) {
        if ((level !== 'warn' && level !== 'error') || problems.length >= maxProblems) return
        problems.push(error instanceof Error ? `${message}: ${error.message}` : message)
      },
    },
  }
}

function nameOf(model: unknown): string | undefined {
  if (typeof model !== 'object' || model === null || !('modelId' in model)) {
    return typeof model === 'string' ? model : undefined
  }
  return String(model.modelId)
}
