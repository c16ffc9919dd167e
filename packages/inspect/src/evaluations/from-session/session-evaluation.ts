import type { SessionEvent } from '@cool-ai/beach-core/log'
import { principalKey } from '@cool-ai/beach-core/ports'
import { defined } from '@cool-ai/beach-core/runtime'
import { Document, isMap, isSeq } from 'yaml'
import type { Evaluation, RecordedResult } from '../format/evaluation.ts'
import type { Expectation } from '../format/expectation.ts'
import { recordOf, type TurnRecord } from '../turn-record.ts'
import { inferredSchema } from './inferred-schema.ts'
import { sessionSteps } from './session-steps.ts'

const maxResults = 200_000
const maxSaid = 200
const maxFacts = 5
const nothing = { coordinates: {}, latencyMs: 0 }

/** The part types whose presence is expected; what a model says on the way differs from run to run. */
const lasting: ReadonlySet<string> = new Set([
  'response',
  'clarify',
  'error',
  'domain-data',
  'a2ui-surface',
  'artifact',
])

/** What happened in a session, as an evaluation in YAML that expects it to happen again; undefined for one without messages. */
export function sessionEvaluation(
  { session, name, now }: { readonly session: string; readonly name: string; readonly now: number },
  events: readonly SessionEvent[],
): string | undefined {
  const opened = events.find((event) => event.type === 'sessionOpened')
  const owner = opened?.payload?.owner
  const steps = sessionSteps(events, owner && principalKey(owner))
  const [first] = steps
  if (first === undefined) return undefined
  const open = new Map<string, TurnRecord['approvals'][number]>()
  const records = steps.map((one) => {
    const record = recordOf(one.events, nothing)
    for (const event of one.events) {
      if (event.type === 'approvalDecided' || event.type === 'approvalVoided') open.delete(event.approvalId)
    }
    for (const request of record.approvals) open.set(request.approvalId, request)
    return { ...record, approvals: [...open.values()] }
  })
  const results = recordedResults(steps.flatMap((one) => one.events))
  const evaluation: Evaluation = defined({
    name,
    at: new Date(first.events[0]?.at ?? 0).toISOString(),
    user: owner && defined({ kind: owner.kind, id: owner.id, scopes: owner.scopes && [...owner.scopes] }),
    from: { session, at: new Date(now).toISOString() },
    tools: results,
    turns: steps.map(({ step }, index) => {
      const expect = expectationOf(records[index] as TurnRecord)
      return expect === undefined ? step : { ...step, expect }
    }),
  })
  return yamlOf(evaluation, records)
}

function expectationOf({ state, text, parts, tools, approvals }: TurnRecord): Expectation | undefined {
  if (state === '' && parts.length === 0) return undefined
  const types = parts.map(({ partType }) => partType).filter((type) => lasting.has(type) || type.includes('.'))
  const includes = types.filter((type, index) => type !== types[index - 1])
  const data = parts.flatMap(({ partType, data: value }) => {
    return partType === 'domain-data' && value !== undefined ? [{ schema: inferredSchema(value) }] : []
  })
  const facts = factsIn(text)
  return defined({
    state: state === '' ? undefined : state,
    text: facts.length > 0 ? { contains: facts } : undefined,
    parts: includes.length > 0 ? { includes } : undefined,
    data: data.length > 0 ? data.slice(0, 5) : undefined,
    tools: tools.length > 0 ? { includes: tools.map(({ name, args }) => defined({ name, args })) } : undefined,
    approvals: approvals.length > 0 ? approvals.map(({ tool, args }) => ({ tool, args })) : undefined,
  })
}

/** Numbers, sums and times: what another model, too, has to say. Parts of longer names and ids are none. */
function factsIn(text: string): string[] {
  const found = text.matchAll(/(?<![\w.,:-])[£$€]?\d+(?:[.,:]\d+)*(?![\w-])/g)
  return [...new Set([...found].map(([fact]) => fact))].slice(0, maxFacts)
}

/** What tools have given; none when that is too much for a file. */
function recordedResults(events: readonly SessionEvent[]): Evaluation['tools'] {
  const { tools } = recordOf(events, nothing)
  const byName = new Map<string, RecordedResult[]>()
  for (const { name, args, outcome, result } of tools) {
    // A call that has not ended has no result, and what a client runs is the client's.
    if (outcome === undefined) continue
    const recorded =
      outcome === 'ok' ? { result: result ?? null } : { error: typeof result === 'string' ? result : 'It failed.' }
    const results = byName.get(name) ?? []
    results.push(defined({ args, ...recorded }))
    byName.set(name, results)
  }
  const named = Object.fromEntries(byName)
  return byName.size > 0 && JSON.stringify(named).length <= maxResults ? named : undefined
}

function yamlOf(evaluation: Evaluation, records: readonly TurnRecord[]): string {
  const document = new Document(evaluation, { aliasDuplicateObjects: false })
  document.commentBefore = [
    ' yaml-language-server: $schema=../node_modules/@cool-ai/beach/dist/docs/schemas/evaluation.json',
    ' Made from a session: it expects what happened. Take out what may come out otherwise.',
  ].join('\n')
  const turns = document.get('turns', true)
  if (isSeq(turns)) {
    for (const [index, turn] of turns.items.entries()) {
      const said = records[index]?.text.replaceAll(/\s+/g, ' ').trim() ?? ''
      const expect = isMap(turn) ? turn.get('expect', true) : undefined
      if (said === '' || !isMap(expect)) continue
      const words = said.length > maxSaid ? `${said.slice(0, maxSaid)}…` : said
      expect.commentBefore = ` It said: ${words}`
    }
  }
  return document.toString({ lineWidth: 120 })
}
