import { defineActor, type BeachOptions } from '@cool-ai/beach'
import { ui } from '@cool-ai/beach-a2ui'
import type { ArtifactStore } from '@cool-ai/beach-core'

/** What the concierge says of itself. */
export const conciergeCard = {
  schemaVersion: '1.0',
  id: 'concierge',
  name: 'Concierge',
  description: 'Finds flights, books them, and writes plans.',
  version: '1.2.3',
  capabilities: [
    { id: 'flight-search', description: 'Finds flights.', examples: ['find me a flight', 'the cheapest to Rome'] },
    { id: 'booking', description: 'Books a flight.' },
  ],
  transports: [{ protocol: 'mcp', version: 'stable', endpoint: 'https://example.com/mcp', tool: 'ask_the_concierge' }],
} as const satisfies BeachOptions['agent']

/** An agent that does everything once: it acknowledges, asks back, brings data, needs an approval, makes a file. */
export function concierge(artifacts: ArtifactStore) {
  return defineActor(async ({ text, respond, tool, view, signal }) => {
    switch (text) {
      case 'find me a flight':
        return respond({ parts: [{ partType: 'clarify', text: 'From Gatwick or Heathrow?' }], turnState: 'clarifying' })
      case 'Gatwick':
        await respond({ parts: [{ partType: 'ack', text: 'Looking.' }], turnState: 'awaiting' })
        await respond({
          parts: [{ partType: 'progress', data: { label: 'Airlines', done: 2, total: 3 } }],
          turnState: 'awaiting',
        })
        return respond({
          parts: [
            { partType: 'response', text: 'One flight.' },
            { partType: 'domain-data', data: { flights: [{ flight: 'BA 2043', price: 187 }] } },
            { partType: 'a2ui-surface', data: surface },
          ],
          turnState: 'complete',
        })
      case 'book it': {
        const call = { name: 'book', args: { flight: 'BA 2043', price: 187 }, requiresApproval: true }
        const outcome = await tool(call, async () => 'ref-1')
        const said = outcome.outcome === 'ok' ? `Booked: ${outcome.value}.` : `Not booked. ${outcome.reason}`
        return respond({ parts: [{ partType: 'response', text: said }], turnState: 'complete' })
      }
      case 'write a plan': {
        const about = { name: 'plan.txt', mimeType: 'text/plain', tenant: 'default', session: view.sessionId }
        const made = await tool({ name: 'write', args: {} }, async () => {
          const { artifactId, sizeBytes } = await artifacts.put(Buffer.from('Day 1: Corfu.'), about)
          return { artifactId, sizeBytes, mimeType: about.mimeType, name: about.name }
        })
        if (made.outcome !== 'ok') throw new Error(made.reason)
        return respond({
          parts: [
            { partType: 'response', text: 'Here is your plan.' },
            { partType: 'artifact', data: made.value },
          ],
          turnState: 'complete',
        })
      }
      case 'wait':
        await respond({ parts: [{ partType: 'ack', text: 'I wait.' }], turnState: 'awaiting' })
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        })
      case 'break':
        throw new Error('secret insides')
      default:
        return respond({ parts: [{ partType: 'response', text: `You said ${text}` }], turnState: 'complete' })
    }
  })
}

const surface = ui.surface({
  surfaceId: 'flights',
  root: ui.card(ui.row(ui.text('BA 2043'), ui.button({ label: 'Book', action: ui.action('book') }))),
})
