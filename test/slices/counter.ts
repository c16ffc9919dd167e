import { BeachError, type PartTypeRegistry, type Slice } from '@cool-ai/beach-core'
import * as z from 'zod'

interface CounterState {
  readonly count: number
  /** What is to be added later, by the id of the caller that asked for it. */
  readonly slow: Readonly<Record<string, number>>
  readonly question?: string
}

const saidSchema = z.object({
  events: z
    .array(z.object({ name: z.literal('counter.add'), value: z.object({ id: z.string(), by: z.int() }) }))
    .optional(),
  slowly: z.object({ id: z.string(), by: z.int() }).optional(),
  ask: z.boolean().optional(),
  subscribe: z.boolean().optional(),
  look: z.object({ instanceId: z.string() }).optional(),
  resume: z.array(z.object({ interruptId: z.string(), status: z.string(), payload: z.unknown() })).optional(),
})

/** A slice that counts: at once, after some work, and with a question. */
export function counterSlice(gate: Promise<void> = Promise.resolve()): Slice<CounterState> {
  const added = (by: number, count: number, answers: readonly string[] = [], name = 'added') => ({
    type: 'sliceEvent' as const,
    ns: 'counter',
    name,
    ...(answers.length > 0 && { answers }),
    payload: { value: { by }, part: { data: { count }, metadata: { partType: 'counter.counted' } } },
  })
  return {
    ns: 'counter',
    version: 1,
    initial: { count: 0, slow: {} },
    fold(state, event) {
      if (event.type !== 'sliceEvent' || event.ns !== 'counter') return state
      const { by = 0, id = '' } = (event.payload?.value ?? {}) as { by?: number; id?: string }
      if (event.name === 'asked') return { ...state, question: id }
      if (event.name === 'begun') return { ...state, slow: { ...state.slow, [id]: by } }
      const { [event.answers?.[0] ?? '']: _, ...slow } = state.slow
      const { question: _question, ...rest } = state
      return { ...(event.name === 'answered' ? rest : state), slow, count: state.count + by }
    },
    shown: ({ count }) => ({ counter: count }),
    inputRequests: ({ question }) => (question === undefined ? [] : [{ id: question, reason: 'counter:how-many' }]),
    handle({ count, question }, said, { id }) {
      const parsed = saidSchema.safeParse(said)
      if (!parsed.success) throw new BeachError('BAD_REQUEST', 'This is nothing that can be counted.')
      const { events = [], slowly, ask, subscribe, look, resume } = parsed.data
      if (look !== undefined) return { drafts: [], reply: { answer: { instance: { seq: count } } } }
      if (slowly !== undefined) {
        const draft = { type: 'sliceEvent' as const, ns: 'counter', name: 'begun', payload: { value: slowly } }
        return { drafts: [draft], reply: { answer: 'begun', awaits: [slowly.id] }, wakes: true }
      }
      if (ask === true) {
        const value = { id: id('ask') }
        return { drafts: [{ type: 'sliceEvent', ns: 'counter', name: 'asked', payload: { value } }], reply: {} }
      }
      const answer = resume?.find(({ interruptId }) => interruptId === question)
      if (answer !== undefined) {
        const by = Number(answer.payload)
        return { drafts: [added(by, count + by, [], 'answered')], reply: { answer: { by } } }
      }
      let sum = count
      const drafts = events.flatMap(({ value }) => {
        if (value.by < 0) return []
        sum += value.by
        return [added(value.by, sum)]
      })
      const refused = events.filter(({ value }) => value.by < 0)
      return {
        drafts,
        reply: {
          answer: { count: sum, ...(refused.length > 0 && drafts.length === 0 && { status: 409 }) },
          ...(refused.length > 0 && {
            parts: refused.map(({ value }) => ({ data: value, metadata: { partType: 'counter.refused' } })),
          }),
          ...(subscribe === true && { stays: true }),
        },
      }
    },
    effects: ({ slow }) =>
      Object.entries(slow).map(([id, by]) => ({
        key: id,
        async run({ commit }) {
          await gate
          await commit((state) => [added(by, (state.counter as CounterState).count + by, [id])])
        },
      })),
  }
}

export function registerCounter(partTypes: PartTypeRegistry): void {
  const deliveryRules = { streaming: 'flush', buffered: 'drop' } as const
  partTypes.register({
    partType: 'counter.counted',
    deliveryRules,
    saidBy: 'tools',
    statePatch: ({ data }) => [{ op: 'replace', path: '/counter', value: (data as { count: number }).count }],
  })
  partTypes.register({
    partType: 'counter.add',
    deliveryRules: { streaming: 'inbound-only', buffered: 'inbound-only' },
  })
}
