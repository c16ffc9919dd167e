import {
  PartTypeRegistry,
  type Actor,
  type Frame,
  type PlainTool,
  type Principal,
  type Sessions,
} from '@cool-ai/beach-core'
import { channelContext } from '@cool-ai/beach-core/contracts'
import { defined } from '@cool-ai/beach-core/runtime'
import { assign, setup } from 'xstate'
import * as z from 'zod'
import { alice, eventually, testContext, type TestContext } from '../../../session/src/host/test-context.test-helper.ts'
import type { ActorContext } from '../../../session/src/turn/function-actor.ts'
import { defineEventHandlers, type HandlerInput, type HandlerResult } from '../definition/event-handlers.ts'
import { defineFlow } from '../definition/define-flow.ts'
import { defineHydrator } from '../definition/hydrator.ts'
import { defineIntent } from '../definition/intent.ts'
import type { EventOf } from '../definition/flow.ts'
import { FlowRegistry } from '../registry/flow-registry.ts'
import type { ClientEvent } from '../schemas/client-payloads.ts'
import type { ServerEvent } from '../schemas/server-payloads.ts'
import { applyServerEvent } from '../state/apply-server-event.ts'
import type { ActiveFlows } from '../state/flow-instance.ts'
import { createFlows, type Flows, type FlowsOptions } from './index.ts'
import type { FlowAnswer } from './handle-client-request.ts'

const item = z.object({ name: z.string(), quantity: z.int().positive() })

interface OrderTypes {
  context: { tip?: number; orderId?: string; extra?: unknown; problem?: string; photo?: unknown }
  events:
    | { type: 'CONFIRM'; tip?: number }
    | { type: 'EDIT'; note?: string }
    | { type: 'PICK' }
    | { type: 'SCAN' }
    | { type: 'SCANNED'; success: boolean; result?: unknown; error?: { code: string } }
    | { type: 'SUCCESS'; orderId: string }
    | { type: 'FAILURE'; message?: string; code?: string }
    | { type: 'child.done.picked'; result: unknown }
    | { type: 'child.dismissed'; reason: string }
}

const orderTypes = {} as OrderTypes

const orderMachine = setup({ types: orderTypes }).createMachine({
  id: 'order.place',
  initial: 'review',
  states: {
    review: {
      on: {
        CONFIRM: { target: 'processing', actions: assign({ tip: ({ event }) => event.tip ?? 0 }) },
        EDIT: { actions: assign({ problem: ({ event }) => event.note ?? '' }) },
        PICK: 'picking',
        SCAN: 'scanning',
      },
    },
    picking: {
      on: {
        'child.done.picked': { target: 'review', actions: assign({ extra: ({ event }) => event.result }) },
        'child.dismissed': { target: 'review', actions: assign({ problem: ({ event }) => event.reason }) },
      },
    },
    scanning: {
      on: {
        SCANNED: {
          target: 'review',
          actions: assign({
            photo: ({ event }) => event.result ?? null,
            problem: ({ event }) => event.error?.code ?? 'none',
          }),
        },
      },
    },
    processing: {
      on: {
        SUCCESS: { target: 'confirmed', actions: assign({ orderId: ({ event }) => event.orderId }) },
        FAILURE: {
          target: 'review',
          actions: assign({ problem: ({ event }) => event.code ?? event.message ?? 'failed' }),
        },
      },
    },
    confirmed: {
      type: 'final',
      meta: {
        followUp: {
          intentId: 'order.track',
          props: ({ context }: { context: { orderId: string } }) => ({ orderId: context.orderId }),
        },
      },
    },
  },
})

export const orderPlace = defineFlow({
  intentId: 'order.place',
  meta: { title: 'Place an order', description: 'Reviews and sends an order.' },
  schema: z.object({ items: z.array(item), note: z.string().optional() }),
  machine: orderMachine,
  events: {
    CONFIRM: {
      source: 'client',
      schema: z.object({ tip: z.number().min(0).optional() }),
      label: 'Place the order',
      confirm: true,
    },
    EDIT: { source: 'client', schema: z.object({ note: z.string().optional() }) },
    PICK: { source: 'client' },
    SCAN: { source: 'client' },
    SCANNED: { source: 'server' },
    SUCCESS: { source: 'server' },
    FAILURE: { source: 'server' },
    'child.dismissed': { source: 'server' },
  },
  text: ({ props, state }) =>
    `${props.items.map(({ name, quantity }) => `${quantity} × ${name}`).join(', ')} (${state})`,
})

export const orderIntent = defineIntent({
  flow: orderPlace,
  extractionSchema: z.object({ item: z.string().default('Cappuccino'), quantity: z.int().positive().default(1) }),
  examples: ['order a coffee'],
})

interface PickTypes {
  context: { choice?: string }
  events: { type: 'CHOOSE'; choice: string } | { type: 'LATER' }
}

const pickTypes = {} as PickTypes

export const pick = defineFlow({
  intentId: 'menu.pick',
  meta: { title: 'Pick something', description: 'Picks one more item.' },
  schema: z.object({ options: z.array(z.string()) }),
  machine: setup({ types: pickTypes }).createMachine({
    id: 'menu.pick',
    initial: 'open',
    states: {
      open: {
        on: { CHOOSE: { target: 'picked', actions: assign({ choice: ({ event }) => event.choice }) }, LATER: 'open' },
      },
      picked: { type: 'final' },
    },
  }),
  events: { CHOOSE: { source: 'client', schema: z.object({ choice: z.string() }) }, LATER: { source: 'client' } },
})

export const track = defineFlow({
  intentId: 'order.track',
  meta: {
    title: 'Track an order',
    description: 'Where the order is.',
    streaming: true,
    retainOnFinal: true,
    expiresInMs: 60_000,
  },
  schema: z.object({ orderId: z.string(), status: z.string().default('preparing') }),
  machine: setup({}).createMachine({
    id: 'order.track',
    initial: 'waiting',
    states: { waiting: { on: { READY: 'ready' } }, ready: { type: 'final' } },
  }),
  events: { READY: { source: 'server' } },
})

export const payment = defineFlow({
  intentId: 'account.update_payment',
  meta: { title: 'Change the card', description: 'Changes how you pay.', dismissable: false },
  schema: z.object({}),
  machine: setup({}).createMachine({
    id: 'account.update_payment',
    initial: 'open',
    states: { open: { on: { SAVE: 'saved', TOUCH: 'open' } }, saved: { type: 'final' } },
  }),
  events: { SAVE: { source: 'client' }, TOUCH: { source: 'client' } },
  permissions: { auth: true, roles: ['member'] },
})

type HandResult = HandlerResult<EventOf<typeof orderPlace>>

/** One run of a handler, which the test ends by hand. */
export interface HandRun extends HandlerInput {
  readonly finish: (result?: HandResult) => void
  readonly fail: (error: unknown) => void
}

/** A handler that runs until the test ends it. */
export function handRun() {
  const runs: HandRun[] = []
  const run = (input: object) =>
    new Promise<HandResult>((resolve, reject) => {
      runs.push({ ...(input as HandlerInput), finish: (result = {}) => resolve(result), fail: reject })
    })
  return {
    runs,
    run,
    async started(times = 1): Promise<HandRun> {
      await eventually(() => runs.length >= times)
      const last = runs.at(-1)
      if (last === undefined) throw new Error('It was not run.')
      return last
    },
  }
}

/** The shop's registry; what the test leaves out does nothing. */
export function shopRegistry(
  given: {
    confirm?: Parameters<typeof defineEventHandlers<typeof orderPlace>>[1]['CONFIRM']
    edit?: Parameters<typeof defineEventHandlers<typeof orderPlace>>[1]['EDIT']
    watch?: NonNullable<Parameters<FlowRegistry['register']>[1]>['watch']
    hydrate?: Parameters<typeof defineHydrator<typeof orderPlace, typeof orderIntent>>[2]
  } = {},
): FlowRegistry {
  const { confirm, edit, watch, hydrate } = given
  return new FlowRegistry()
    .register(orderPlace, {
      intent: orderIntent,
      hydrator: defineHydrator(
        orderPlace,
        orderIntent,
        hydrate ?? (({ entities }) => ({ items: [{ name: entities.item, quantity: entities.quantity }] })),
      ),
      handlers: defineEventHandlers(orderPlace, {
        ...defined({ CONFIRM: confirm, EDIT: edit }),
        PICK: () => ({ child: { intentId: 'menu.pick', props: { options: ['Croissant', 'Cookie'] } } }),
        SCAN: () => ({
          action: {
            action: 'camera_capture',
            config: { reason: 'Scan your voucher' },
            responseRequired: true,
            timeoutMs: 30_000,
            event: 'SCANNED',
          },
        }),
      }),
    })
    .register(pick)
    .register(track, watch ? { watch } : {})
    .register(payment)
}

export const secret = new Uint8Array(32).fill(7)

const idle = (turn: ActorContext) =>
  turn.respond({ parts: [{ partType: 'response', text: 'ok' }], turnState: 'complete' })

/** Runs a tool in a turn, as actors with a model do. */
export async function callTool(
  turn: ActorContext,
  tools: readonly PlainTool[],
  name: string,
  input: unknown,
): Promise<unknown> {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) throw new Error(`There is no tool ${name}.`)
  const call = { name, args: input, idempotent: tool.idempotent === true }
  const outcome = await turn.tool(call, async (run) => tool.handler(input, { ...run, session: turn.view }))
  return outcome.outcome === 'ok' ? outcome.value : outcome
}

/** A process that has the shop's flows. */
export function shopProcess(
  there: TestContext,
  registry: FlowRegistry,
  options: Partial<FlowsOptions> & {
    actor?: Actor | ((turn: ActorContext, flows: Flows) => Promise<void>)
  } = {},
) {
  const { actor = idle, ...rest } = options
  const flows = createFlows({ registry, runtime: there.runtime, secret, tenant: 'acme', ...rest })
  const partTypes = PartTypeRegistry.canonical()
  flows.registerPartTypes(partTypes)
  const main = typeof actor === 'function' ? (turn: ActorContext) => actor(turn, flows) : actor
  const process = there.process({ main }, { slices: [flows.slice], partTypes })
  const channel = flows.channel()
  void channel.start(channelContext({ ...process, store: there.store, signal: new AbortController().signal }))
  return { ...process, flows, partTypes, channel }
}

/** The shop in one process, with an open session. */
export async function shop(
  options: Parameters<typeof shopRegistry>[0] & Parameters<typeof shopProcess>[2] & { by?: Principal } = {},
) {
  const { confirm, edit, watch, hydrate, by = alice, ...rest } = options
  const there = testContext()
  const registry = shopRegistry(defined({ confirm, edit, watch, hydrate }))
  const process = shopProcess(there, registry, rest)
  const session = await process.sessions.open({ principal: by })
  return { there, registry, ...process, session, by }
}

export type Shop = Awaited<ReturnType<typeof shop>>

/** An event of a client. */
export function clientEvent(
  instanceId: string,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): ClientEvent {
  return { type: 'CUSTOM', name: 'intentflow.event', value: { instanceId, event: name, ...more } }
}

export function dismissal(instanceId: string, more: Readonly<Record<string, unknown>> = {}): ClientEvent {
  const value = { instanceId, reason: 'user_cancelled' as const, ...more }
  return { type: 'CUSTOM', name: 'intentflow.dismiss_request', value }
}

/** What the flows of a session answer to what a client says. */
export async function say(
  { sessions, session }: { readonly sessions: Sessions; readonly session: string },
  said: unknown,
  by: Principal = alice,
) {
  const reply = await sessions.handle(session, 'intentflow', said, by)
  return { ...reply, answer: reply.answer as FlowAnswer }
}

/** The events of IntentFlow that frames have shown, in their order. */
export function serverEvents(frames: readonly Frame[]): ServerEvent[] {
  return frames.flatMap((frame) => {
    if (frame.kind !== 'part' || !frame.part.metadata.partType.startsWith('intentflow.')) return []
    return [{ type: 'CUSTOM', name: frame.part.metadata.partType, value: frame.part.data } as ServerEvent]
  })
}

/** The flows as a client has them that began with the first frame and applied what came. */
export function mirrored(frames: readonly Frame[]): ActiveFlows {
  const first = frames.find((frame) => frame.kind === 'state')
  const begun = (first?.kind === 'state' ? first.shown?.activeFlows : undefined) as ActiveFlows | undefined
  const seq = first?.kind === 'state' ? first.seq : 0
  const later = frames.filter((frame) => frame.kind === 'part' && Number(frame.cursor) > seq)
  return serverEvents(later).reduce(applyServerEvent, begun ?? {})
}
