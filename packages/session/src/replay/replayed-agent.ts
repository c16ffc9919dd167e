import { BeachError, type Actor, type Runtime, type Slice } from '@cool-ai/beach-core'
import { EventRouter, SessionLog, stateSlice } from '@cool-ai/beach-core/log'
import type { SessionPeers, ToolRun } from '@cool-ai/beach-core/ports'
import { allowanceSlice } from '../approvals/allowance-slice.ts'
import { followUpSlice } from '../approvals/follow-up-slice.ts'
import { clientSlice } from '../clients/client-slice.ts'
import { deliverySlice } from '../delivery/delivery-slice.ts'
import { deliveryDrafts, type PushChannel } from '../delivery/queue-deliveries.ts'
import type { LeasedSessionOptions } from '../host/leased-session.ts'
import { entryOf, type SessionTurnManagerOptions } from '../host/session-turn-manager.ts'
import { manifestSlice } from '../manifests/manifest-slice.ts'
import { surfaceSlice } from '../surfaces/surface-slice.ts'
import { defaultLimits } from '../turn/admission.ts'
import { turnSlice } from '../turn/turn-slice.ts'
import type { ReplayPlace } from './replay-place.ts'
import type { ReplayStore } from './replay-store.ts'
import { ReplayedTurn } from './replayed-turn.ts'
import { answerFromRecord, callIdOf } from './tool-player.ts'

export interface ReplayedAgentOptions extends Pick<
  SessionTurnManagerOptions,
  | 'entry'
  | 'stateMachines'
  | 'templates'
  | 'partTypes'
  | 'turnStates'
  | 'slices'
  | 'limits'
  | 'retryFailed'
  | 'llmContextLanguage'
> {
  readonly runtime: Runtime
  readonly peers?: Pick<SessionPeers, 'scopesOf'> | undefined
  readonly actors: (place: ReplayPlace) => Promise<Readonly<Record<string, Actor>>>
}

/** What turns of a replay run with: the agent's own settings, with answers of the record in place of the outside. */
export async function replayedAgent(
  options: ReplayedAgentOptions,
  store: ReplayStore,
  place: ReplayPlace,
): Promise<LeasedSessionOptions> {
  const { runtime, partTypes, turnStates, templates, stateMachines, slices = [], limits, retryFailed } = options
  const actors = await options.actors(place)
  const played = Object.entries(actors).map(([name, actor]): [string, Actor] => {
    return [name, { ...actor, run: (turn) => actor.run(new ReplayedTurn(turn, place)) }]
  })
  const log = new SessionLog({ store, runtime, slices: [...ownSlices, ...slices].map(withoutEffects) })
  const { scopesOf } = options.peers ?? {}
  const peers: SessionPeers = {
    scopesOf: (peer) => scopesOf?.(peer),
    // It is run as a tool of the turn.
    forward: (_, run) => answerFromRecord(run as unknown as ToolRun, runningCall(run.key, place), place),
  }
  const rules = { partTypes, turnStates, channels: channelsOf(place) }
  return {
    store,
    log,
    router: new EventRouter({ store, runtime, log, stateMachines, peers }),
    runtime,
    partTypes,
    turnStates,
    templates,
    actors: Object.fromEntries(played),
    entry: entryOf({ actors, entry: options.entry }),
    followUp: rules.channels.size === 0 ? undefined : (state, drafts) => deliveryDrafts(state, drafts, rules),
    maxPartBytes: limits?.eventBytes ?? defaultLimits.eventBytes,
    peers,
    translator: {
      language: undefined,
      translate: async ({ turnId, language }) => translationOf(turnId, language, place),
    },
    llmContextLanguage: options.llmContextLanguage,
    leaseMs: Number.MAX_SAFE_INTEGER,
    retryFailed,
  }
}

const ownSlices = [
  stateSlice,
  turnSlice,
  clientSlice,
  surfaceSlice,
  allowanceSlice,
  manifestSlice,
  deliverySlice,
  followUpSlice,
]

/** Nothing runs in parallel to the turns: what came of it is in the record. */
// oxlint-disable-next-line typescript/no-explicit-any -- each slice has a state type of its own.
function withoutEffects(slice: Slice<any>): Slice<any> {
  const left = { ...slice }
  delete left.effects
  return left
}

/** What was said to peers' models in the step that the turn is at. */
function translationOf(turnId: string, language: string | undefined, place: ReplayPlace): string | undefined {
  const [commit] = place.answers(turnId).commits
  return commit?.parts.find(({ metadata }) => metadata.partType === 'llm-context' && metadata.language === language)
    ?.text
}

/** Deliveries are decided as by the agent's channels, and never sent. */
function channelsOf(place: ReplayPlace): ReadonlyMap<string, PushChannel> {
  const channel: PushChannel = {
    reaches: ({ id }) => place.record.isReached(place.openTurn()?.turnId ?? '', id),
    send: async () => {
      throw new BeachError('INTERNAL', 'A replay was to send something.')
    },
  }
  return new Map([...place.record.transports].map((transport) => [transport, channel]))
}

/** A call that has begun, as it is in the log of the replay. */
function runningCall(key: string, place: ReplayPlace): { readonly name: string; readonly args: unknown } {
  const callId = callIdOf(key)
  const started = place.events.findLast((event) => event.type === 'toolStarted' && event.callId === callId)
  return started?.type === 'toolStarted' ? { name: started.name, args: started.payload?.args } : { name: '', args: {} }
}
