import { setImmediate as nextRound, setTimeout } from 'node:timers/promises'
import type { Wanted } from './answer.ts'

/** The one tool of the work that all frameworks do: what the model calls it with, and what it returns. */
export const lookup = {
  name: 'lookup',
  description: 'Looks up the weather of a city.',
  args: { city: 'Lisbon' },
  result: { sky: 'clear', degrees: 24 },
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
} as const

/** The instructions that every framework gives its model. */
export const instructions = 'You tell the weather.'

/** What the client asks for; it travels as the text of its message. */
export function wantedIn(text: string): Wanted {
  return JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as Wanted
}

/** The model's answer after the tool's result. Each delta comes in a round of the event loop of its own, as from a network. */
export async function* spoken({ deltas, everyMs }: Wanted): AsyncGenerator<string> {
  for (let n = 0; n < deltas; n++) {
    await (everyMs > 0 ? setTimeout(everyMs) : nextRound())
    yield `word${n}. `
  }
}
