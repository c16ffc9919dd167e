import { defineActor, type ActorContext } from '@cool-ai/beach'

const version = 'v0.9'

/** A surface with one button, whose seat is for the user to choose. */
function ticket(surfaceId: string, flight: string) {
  const action = { event: { name: 'buy', context: { flight, seat: { path: '/seat' } } } }
  const components = [
    { id: 'root', component: 'Card', child: 'buy' },
    { id: 'buy', component: 'Button', child: 'label', action },
    { id: 'label', component: 'Text', text: 'Buy' },
  ]
  return [
    { version, createSurface: { surfaceId, catalogId: 'basic', sendDataModel: true } },
    { version, updateDataModel: { surfaceId, path: '/', value: { seat: '12A' } } },
    { version, updateComponents: { surfaceId, components } },
  ]
}

/** The button of `ticket`, pressed. */
export const buys = (surfaceId = 'ticket', flight = 'BA 2043', seat = '12A') => ({
  surfaceId,
  componentId: 'buy',
  name: 'buy',
  context: { flight, seat },
})

/** Shows tickets, says what was done with them, and pays only after an approval. */
export function shop(paid: string[] = []) {
  return defineActor(async ({ text, respond, tool }: ActorContext) => {
    if (text === 'pay') {
      const outcome = await tool({ name: 'pay', args: { total: 187 }, requiresApproval: true }, async ({ key }) => {
        paid.push(key)
        return 'paid'
      })
      const said = outcome.outcome === 'ok' ? outcome.value : `not paid: ${outcome.reason}`
      return respond({ parts: [{ partType: 'response', text: said }], turnState: 'complete' })
    }
    const [, flight] = /^show (.+)$/.exec(text) ?? []
    const shown =
      flight === undefined
        ? []
        : [{ partType: 'a2ui-surface', data: ticket('ticket', flight), metadata: { slotKey: 'tickets' } }]
    await respond({ parts: [{ partType: 'response', text: `You: ${text}` }, ...shown], turnState: 'complete' })
  })
}
