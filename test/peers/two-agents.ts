import { defineActor, type ActorContext, type BeachOptions } from '@cool-ai/beach'
import type { Part } from '@cool-ai/beach-core'
import { llmActor, scriptedModel, type ScriptContext, type ScriptRule } from '@cool-ai/beach-llm'
import { startAgent, type AgentOptions, type RunningAgent } from '../a2a/agent.ts'
import { respond } from '../a2a-client/home-agent.ts'
import { freePort } from '../support/free-port.ts'

/** The catalog that document 001 names. */
export const catalogId = 'https://a2ui.org/specification/v0_9/basic_catalog.json'

export const card = (id: string, name: string): BeachOptions['agent'] => ({
  schemaVersion: '1.0',
  id,
  name,
  description: 'Knows flights.',
  version: '1.0.0',
  capabilities: [],
})

type Component = Readonly<Record<string, unknown>>

/** The surface of document 001: one object with all of it, whose button takes how many from the data. */
export function flights(surfaceId = 'flight-results', more: readonly Component[] = []) {
  const context = { flightNumber: 'BA 2043', passengers: { path: '/passengers' } }
  return {
    version: 'v0.9',
    createSurface: { surfaceId, catalogId, sendDataModel: true },
    updateDataModel: { surfaceId, path: '/', value: { passengers: 2 } },
    updateComponents: {
      surfaceId,
      components: [
        { id: 'root', component: 'Column', children: ['title', 'choose', ...more.map(({ id }) => id)] },
        { id: 'title', component: 'Text', text: 'British Airways BA 2043' },
        { id: 'choose', component: 'Button', child: 'choose-label', action: { event: { name: 'choose', context } } },
        { id: 'choose-label', component: 'Text', text: 'Choose' },
        ...more,
      ],
    },
  }
}

/** Says what it was told, and what was done on its surface. */
export interface SallyOptions {
  /** What she answers besides; flights when left out. */
  readonly answer?: (turn: ActorContext) => Promise<void>
  readonly options?: AgentOptions
}

/** Sally, who shows flights and takes what is chosen; `received` has what came to her. */
export async function startSally({ answer, options = {} }: SallyOptions = {}) {
  const received: Part[] = []
  const sally = defineActor(async (turn) => {
    const parts = turn.messages.flatMap((message) => message.parts)
    received.push(...parts)
    if (answer !== undefined) return answer(turn)
    return sallyAnswers(turn)
  })
  const agent = await startAgent({ agent: card('sally', 'Sally'), actors: { sally }, ...options })
  return { ...agent, received }
}

/** Flights, or what has become of a choice. */
export async function sallyAnswers({ messages, text, respond: say }: ActorContext): Promise<void> {
  const action = messages.flatMap(({ parts }) => parts).find(({ metadata }) => metadata.partType === 'a2ui-action')
  if (action === undefined) {
    const found = { partType: 'domain-data', data: { flights: 1 }, metadata: { slotKey: 'found' } } as const
    const surface = { partType: 'a2ui-surface', data: flights(), metadata: { slotKey: 'found' } } as const
    await say({ parts: [{ partType: 'response', text: 'One flight.' }, found, surface], turnState: 'complete' })
    return
  }
  await say({ parts: [{ partType: 'response', text: `Done: ${text}` }], turnState: 'complete' })
}

const passedOn = /<data origin="peer:sally">\n(.*)\n<\/data>/s

/** Baxter without a model: he asks Sally, and says what she has said. */
const baxterRules: readonly ScriptRule[] = [
  {
    when: ({ text }) => text.includes('was passed on to the agent'),
    say: ({ text }) => respond(`Sally: ${answerIn(passedOn.exec(text)?.[1])}`),
  },
  {
    when: ({ text }) => text.includes('could not be passed on'),
    say: ({ text }) => respond(`I could not tell Sally. ${passedOn.exec(text)?.[1]}`),
  },
  {
    when: ({ results }) => results.has('ask_sally'),
    say: ({ results }) => respond(`Sally: ${answerIn(results.get('ask_sally'))}`),
  },
  { say: (now) => ({ tools: [{ name: 'ask_sally', args: asked(now) }] }) },
]

/** In the conversation that there is already. */
function asked({ text, prompt }: ScriptContext) {
  const [, conversationId] = [...JSON.stringify(prompt).matchAll(/\(conversationId: ([\w.-]+)\)/g)].at(-1) ?? []
  return { message: text, ...(conversationId !== undefined && { conversationId }) }
}

function answerIn(json = '{}'): string {
  const { answer, question, state } = JSON.parse(json) as Readonly<Record<string, string>>
  return answer ?? question ?? state ?? ''
}

const baxter = () =>
  llmActor({ name: 'baxter', prompt: 'You are Baxter.', model: scriptedModel({ rules: baxterRules }) })

/** Baxter, who asks Sally at that address. */
export async function startBaxter(sally: Pick<RunningAgent, 'url'>, options: AgentOptions = {}): Promise<RunningAgent> {
  return startAgent({ port: await freePort(), ...baxterOptions(sally), ...options })
}

export function baxterOptions({ url }: Pick<RunningAgent, 'url'>) {
  return {
    agent: card('baxter', 'Baxter'),
    actors: { baxter: baxter() },
    peers: { sally: { url: `${url}/` } },
  } satisfies Partial<BeachOptions>
}
