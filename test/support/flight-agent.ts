import { ui, type UiNode } from '@cool-ai/beach-a2ui'
import type { ActorContext } from '@cool-ai/beach'
import type { AuthoredPart, Part } from '@cool-ai/beach-core'

export const flights = [
  { flightNumber: 'BA 2043', airline: 'British Airways', departs: '06:15', price: '£187' },
  { flightNumber: 'U2 8021', airline: 'easyJet', departs: '11:40', price: '£94' },
  { flightNumber: 'FR 1142', airline: 'Ryanair', departs: '19:05', price: '£61' },
] as const

/** A surface of flights, each with two buttons, and two buttons that belong to none. */
function flightSurface(shown: readonly (typeof flights)[number][] = flights) {
  const data = { passengers: 2 }
  return ui.surface({
    surfaceId: 'flights',
    data,
    root: ui.column(
      ui.text('London to Corfu', { variant: 'h3' }),
      ui.row(
        ui.button({ id: 'cheapest', label: 'Cheapest', action: ui.action('sort', { by: 'price' }) }),
        ui.button({ id: 'earliest', label: 'Earliest', action: ui.action('sort', { by: 'time' }) }),
      ),
      ...shown.map(flightCard),
    ),
  })
}

function flightCard({ flightNumber, airline, departs, price }: (typeof flights)[number], index: number): UiNode {
  const context = { flightNumber, passengers: ui.bind('/passengers') }
  const named = (label: string) => ({ label, accessibility: { label: `${label}: ${flightNumber}` } })
  return ui.card(
    ui.row(
      { justify: 'spaceBetween' },
      ui.column(ui.text(`**${airline}** ${flightNumber}`), ui.text(`at ${departs}`, { variant: 'caption' })),
      ui.column(
        ui.text(price),
        ui.row(
          ui.button({ id: `add-${index}`, ...named('Add'), action: ui.action('add_flight', context) }),
          ui.button({
            id: `book-${index}`,
            ...named('Book'),
            variant: 'primary',
            action: ui.action('book_flight', context),
          }),
        ),
      ),
    ),
  )
}

const surfacePart = (data: unknown): AuthoredPart => ({
  partType: 'a2ui-surface',
  data,
  metadata: { slotKey: 'flights' },
})
const dataPart: AuthoredPart = {
  partType: 'domain-data',
  data: { flights },
  metadata: { kind: 'flight-results', slotKey: 'flights' },
}

/** What the actor was told, message by message. */
export interface Received {
  readonly text: string
  readonly parts: readonly Part[]
}

/** An actor that lists flights in several ways, and remembers what it was told. */
export function flightActor(received: Received[] = []) {
  return async ({ text, messages, respond }: ActorContext): Promise<void> => {
    received.push({ text, parts: messages.flatMap(({ parts }) => parts) })
    const said = text.trim()
    if (said === 'ask') {
      const question = { partType: 'clarify', text: 'For how many?' } as const
      return respond({ parts: [question], turnState: 'clarifying' })
    }
    if (said === 'from') {
      const metadata = { options: ['Gatwick', 'Luton'] }
      return respond({ parts: [{ partType: 'clarify', text: 'From where?', metadata }], turnState: 'clarifying' })
    }
    return respond({
      parts: [{ partType: 'response', text: wordsFor(said) }, ...partsFor(said)],
      turnState: 'complete',
    })
  }
}

function wordsFor(said: string): string {
  return ['flights', 'data', 'fewer', 'many', 'told'].includes(said) ? 'Three direct flights.' : `Heard: ${said}`
}

function partsFor(said: string): readonly AuthoredPart[] {
  if (said === 'flights') return [dataPart, surfacePart(flightSurface())]
  if (said === 'fewer') return [surfacePart(flightSurface(flights.slice(1)))]
  if (said === 'data') return [dataPart]
  if (said === 'gone') return [surfacePart(ui.deleteSurface('flights'))]
  if (said === 'told')
    return [{ partType: 'response', text: 'All about Corfu. '.repeat(80) }, surfacePart(flightSurface())]
  const many = Array.from({ length: 30 }, (_, n) => ({ ...flights[1], flightNumber: `U2 ${8_000 + n}` }))
  return said === 'many' ? [{ partType: 'domain-data', data: { flights: many }, metadata: { slotKey: 'many' } }] : []
}
