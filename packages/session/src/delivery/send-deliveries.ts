import type {
  DataRule,
  Envelope,
  Originator,
  PushPolicy,
  Runtime,
  SendOutcome,
  Slice,
  Store,
} from '@cool-ai/beach-core'
import { sessionSlice, sliceState, type EventDraft, type SessionLog } from '@cool-ai/beach-core/log'
import type { Effect, EffectRun } from '@cool-ai/beach-core/ports'
import { isOver, raceAbort, withDefaults, defined } from '@cool-ai/beach-core/runtime'
import { isPeer } from '@cool-ai/beach-protocol/parts'
import { deliveryEnvelope } from './delivery-envelope.ts'
import {
  delayOf,
  deliverySlice,
  maxPending,
  nextDeliveries,
  surplusDeliveries,
  type Delivery,
  type DeliveryState,
} from './delivery-slice.ts'
import type { EnvelopeOfOptions } from '../turn/envelope-of.ts'
import type { DeliveryRulesContext, PushChannel } from './queue-deliveries.ts'
import { withheld } from './withheld.ts'

/** What sending needs. */
export interface SendingContext extends DeliveryRulesContext, EnvelopeOfOptions {
  readonly log: () => SessionLog
  readonly store: Store
  readonly runtime: Runtime
  /** What content may be sent by which channel. */
  readonly dataRules?: readonly DataRule[] | undefined
}

const unreachable = 'There is no way to reach this originator any more.'
const tooMany = `More than ${maxPending} deliveries wait for this originator.`
// A delivery that is interrupted may have arrived, and would be sent again.
const graceMs = 5_000
const defaults = { attempts: 8, firstDelayMs: 2_000, maxDelayMs: 15 * 60_000, timeoutMs: 30_000 }

/** The slice of deliveries, with the sending of what is due. */
export function sendingDeliveries(context: SendingContext): Slice<DeliveryState> {
  return {
    ...deliverySlice,
    effects: (state, now) => (state.pending.length === 0 ? [] : effectsOf(state, now, context)),
  }
}

function effectsOf(state: DeliveryState, now: number, context: SendingContext): Effect[] {
  return [
    ...surplusDeliveries(state).map((delivery) => ({
      key: `${delivery.deliveryId}:${delivery.attempts}:surplus`,
      run: (run: EffectRun) => giveUp(delivery, tooMany, run, context),
    })),
    ...nextDeliveries(state)
      .filter((delivery) => isOver(delayOf(delivery), now))
      .flatMap((delivery) => effectOf(delivery, state, context)),
  ]
}

function effectOf(delivery: Delivery, { originators }: DeliveryState, context: SendingContext): Effect[] {
  const to = originators[delivery.originatorId]?.originator
  const channel = to && context.channels.get(to.transport)
  const { deliveryId, attempts } = delivery
  const run = (effect: EffectRun) => {
    if (to === undefined || channel === undefined) return giveUp(delivery, unreachable, effect, context)
    return sendReported({ delivery, to, channel, context }, effect)
  }
  return [{ key: `${deliveryId}:${attempts}`, graceMs, run }]
}

async function giveUp(delivery: Delivery, reason: string, run: EffectRun, context: SendingContext): Promise<void> {
  await report(delivery, failureDraft(delivery, delivery.attempts, reason), run, context)
}

interface DeliveryJob {
  readonly delivery: Delivery
  readonly to: Originator
  readonly channel: PushChannel
  readonly context: SendingContext
}

/** One attempt, with a report on it where reports are read. */
async function sendReported(job: DeliveryJob, run: EffectRun): Promise<void> {
  const { telemetry } = job.context.runtime
  const sending = new Sending(job, run)
  if (telemetry === undefined) return void (await sending.run())
  const { seq, turnId: turn, attempts, trace } = job.delivery
  const place = { session: run.session, turn, seq, transport: job.to.transport, attempt: attempts + 1, trace }
  await telemetry.run({ kind: 'delivery', ...place }, async ({ found }) => {
    found({ outcome: (await sending.run()) ?? 'stopped' })
  })
}

/** One attempt to send something to one originator. */
class Sending {
  readonly #errand: DeliveryJob
  readonly #run: EffectRun

  constructor(errand: DeliveryJob, run: EffectRun) {
    this.#errand = errand
    this.#run = run
  }

  /** The outcome; undefined when it was stopped. */
  async run(): Promise<string | undefined> {
    const { delivery, to, context } = this.#errand
    const made = await deliveryEnvelope(context.log(), this.#run.session, delivery, to, context)
    const envelope = made === undefined ? undefined : await this.#allowed(made)
    const isSent = this.#isWorthSending(envelope)
    const outcome = isSent ? await this.#send(envelope) : ({ status: 'sent' } as const)
    if (this.#run.signal.aborted) return undefined
    await report(delivery, this.#draft(outcome), this.#run, context)
    return isSent ? outcome.status : 'empty'
  }

  async #allowed(envelope: Envelope): Promise<Envelope> {
    const { delivery, to, context } = this.#errand
    const { dataRules: rules = [] } = context
    if (rules.length === 0 || envelope.parts.length === 0) return envelope
    const { state } = await context.log().load(this.#run.session)
    return withheld(envelope, to.transport, { rules, state, turnId: delivery.turnId })
  }

  /** A turn may have nothing for this originator; only a peer is told nevertheless that the turn is over. */
  #isWorthSending(envelope: Envelope | undefined): envelope is Envelope {
    return envelope !== undefined && (envelope.parts.length > 0 || isPeer(this.#errand.to))
  }

  async #send(envelope: Envelope): Promise<SendOutcome> {
    const { delivery, to, channel, context } = this.#errand
    const { session, signal } = this.#run
    const { timeoutMs = defaults.timeoutMs } = channel.push ?? {}
    const late = new AbortController()
    const cancel = context.runtime.clock.timer(timeoutMs, () => late.abort(new Error('The channel took too long.')))
    const either = AbortSignal.any([signal, late.signal])
    try {
      const key = `${session}:${delivery.deliveryId}`
      return await raceAbort(channel.send(to, envelope, key, either), either)
    } catch (error) {
      context.runtime.logger.log('warn', 'a delivery failed', { session, delivery: delivery.seq, error })
      return { status: 'failed', reason: late.signal.aborted ? 'It took too long.' : 'The channel failed.' }
    } finally {
      cancel()
    }
  }

  #draft({ status, reason = 'No reason was given.', externalId }: SendOutcome): Reported {
    const { delivery, channel, context } = this.#errand
    const { deliveryId, originatorId } = delivery
    if (status === 'sent') {
      return defined({ type: 'deliverySent', deliveryId, originatorId, externalId })
    }
    const attempt = delivery.attempts + 1
    const delay = status === 'refused' ? undefined : delayAfter(attempt, channel.push, context.runtime)
    if (delay === undefined) return failureDraft(delivery, attempt, reason)
    return { ...failureDraft(delivery, attempt, reason), delay }
  }
}

/** How long to wait after an attempt that failed; undefined when it was the last one. */
function delayAfter(attempt: number, push: PushPolicy | undefined, runtime: Runtime): number | undefined {
  if (push?.delaysMs !== undefined) return push.delaysMs[attempt - 1]
  const { attempts, firstDelayMs, maxDelayMs } = withDefaults(defaults, push)
  if (attempt >= attempts) return undefined
  return Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs) * (0.5 + runtime.random() / 2)
}

type Failure = Extract<EventDraft, { type: 'deliveryFailed' }>

/** The outcome of an attempt; after a failure with how long to wait, unless it was the last one. */
type Reported = Extract<EventDraft, { type: 'deliverySent' }> | (Failure & { readonly delay?: number })

/** Made when it is written, so that both the time of planning and the planned time are by the same clock. */
function draftOf(reported: Reported, { clock }: Runtime): EventDraft {
  if (reported.type === 'deliverySent') return reported
  const { delay, ...failure } = reported
  return delay === undefined ? failure : { ...failure, nextAt: Math.ceil(clock.now() + delay) }
}

/** Without a further attempt. */
function failureDraft({ deliveryId, originatorId }: Delivery, attempt: number, reason: string): Failure {
  return { type: 'deliveryFailed', deliveryId, originatorId, attempt, payload: { reason } }
}

/** Puts the outcome of an attempt on record, unless another host has done so. */
async function report(delivery: Delivery, reported: Reported, run: EffectRun, context: SendingContext): Promise<void> {
  if (reported.type === 'deliveryFailed' && reported.delay === undefined)
    await indexDeadLetter(delivery, run.session, context)
  await run.commit((state) => {
    const { pending } = sliceState(deliverySlice, state)
    const waits = pending.some((entry) => {
      return entry.deliveryId === delivery.deliveryId && entry.attempts === delivery.attempts
    })
    return waits ? [draftOf(reported, context.runtime)] : []
  })
}

/** The index entry by which operators find a dead letter; without one in the log it is harmless. */
async function indexDeadLetter(
  { deliveryId }: Delivery,
  session: string,
  { store, log }: SendingContext,
): Promise<void> {
  const { state } = await log().load(session, 0)
  const { tenant = '' } = sliceState(sessionSlice, state)
  await store.bind(deadLetterKey(tenant, session, deliveryId), session)
}

export function deadLetterKey(tenant: string, session: string, deliveryId: string): string {
  return `${deadLetterPrefix(tenant)}${session}:${deliveryId}`
}

export function deadLetterPrefix(tenant: string): string {
  return `dead:${encodeURIComponent(tenant)}:`
}
