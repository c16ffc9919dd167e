import { createBeach } from '@cool-ai/beach'
import type { Principal } from '@cool-ai/beach-core'
import { payer } from './joined-agents.ts'

// An agent in a process of its own that shows the inbox of the agent `OTHER` on the port `OTHER_PORT`, and is shown there.
const { ID: id = '', PORT = '', BEACH_DATA: data, OTHER: other = '', OTHER_PORT: otherPort } = process.env
const url = `http://127.0.0.1:${otherPort}/`

const beach = await createBeach({
  agent: { id, name: `The ${id}` },
  data,
  actors: { payer },
  approvals: { inbox: { shows: { [other]: { url, name: `The ${other}` } }, shownAt: { [other]: { url } } } },
  access: {
    authenticators: [
      async ({ headers }) => {
        const name = headers.get('x-user')
        const principal: Principal = { kind: 'user', id: name ?? '', tenant: 'default' }
        return name === null ? undefined : { principal, credential: { type: 'test' } }
      },
    ],
  },
  turns: { leaseMs: 2_000 },
})
await beach.listen({ port: Number(PORT) })
