import { createBeach, defineActor, openData, serve } from '@cool-ai/beach'

// An agent that asks the test's gate before it answers, and for an approval where it is told to book.
const { PORT, BEACH_DATA: folder = '', GATE } = process.env

const clerk = defineActor(async ({ text, tool, respond }) => {
  const said = (words: string) => respond({ parts: [{ partType: 'response', text: words }], turnState: 'complete' })
  if (text === 'book it') {
    const { outcome } = await tool({ name: 'book', args: { flight: 'BA 2043' }, requiresApproval: true }, async () => 1)
    return said(`booking: ${outcome}`)
  }
  return said(await (await fetch(`${GATE}/${encodeURIComponent(text)}`)).text())
})

await serve(
  async () =>
    createBeach({
      agent: { id: 'clerk', name: 'Clerk' },
      actors: { clerk },
      protocols: { mcp: { tasks: { afterMs: 1 } } },
      turns: { leaseMs: 2_000 },
      data: await openData({ folder }),
    }),
  { port: Number(PORT) },
)
