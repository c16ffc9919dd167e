import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openSecret } from '@cool-ai/beach'
import { runAgents, startAgent, type AgentLocation, type AgentMade, type PageLink } from '@cool-ai/example-kit'
import { freePort } from '@cool-ai/beach-testing/free-port'
import { coffeeAgent } from '@cool-ai/example-coffee'
import { organiserAgent } from '@cool-ai/example-organiser'
import { travelAgent } from '@cool-ai/example-travel'

// The travel agent, and on the next port the organiser, which asks it. The organiser goes first and reads the other's
// card when it first asks, so that both are there when the travel agent is. The coffee shop is on the travel agent's
// port, at /coffee. Sally and Baxter know a browser as the same person, and each of their inboxes shows what waits at both.
await runAgents(async (place) => {
  const port = place.port === 0 ? await freePort(2) : place.port
  const url = `http://127.0.0.1:${port}`
  const agents = [
    { label: travelAgent.agent.name, url },
    { label: 'Organiser', url: `http://127.0.0.1:${port + 1}` },
    { label: 'Example Coffee', url: `${url}/coffee/` },
  ]
  // The mailbox and the phone are the travel agent's; the organiser's page leads to them too.
  let nearby: readonly PageLink[] = []
  const links = () => [...agents, ...nearby.map((link) => ({ label: link.label, url: url + link.url, isNearby: true }))]
  const secret = secretOf(place)
  const joined = (made: AgentMade, id: string, { label: name = '', url: at = '' }: Partial<PageLink> = {}) => ({
    ...made,
    access: { ...made.access, cookieName: 'beach_examples' },
    approvals: { ...made.approvals, inbox: { shows: { [id]: { name, url: at } }, shownAt: { [id]: { url: at } } } },
  })
  const baxter = organiserAgent(url)
  const organiser = await startAgent(
    {
      ...baxter,
      links,
      make: async (...given) => joined(await baxter.make(...given), travelAgent.agent.id, agents[0]),
    },
    { ...place, secret, port: port + 1, folder: join(place.folder, 'organiser') },
  )
  try {
    const mounted = { '/coffee': coffeeAgent }
    // The organiser's card is on this machine: it says that the organiser's model wants llm-context.
    const callerCards = { allowOrigins: [new URL(organiser.url).origin] }
    const make: typeof travelAgent.make = async (...given) => {
      const made = await travelAgent.make(...given)
      nearby = made.links ?? []
      return joined({ ...made, access: { ...made.access, callerCards } }, baxter.agent.id, agents[1])
    }
    const travel = { ...travelAgent, make, links: () => agents, mounted }
    return [await startAgent(travel, { ...place, secret, port }), organiser]
  } catch (error) {
    await organiser.close()
    throw error
  }
})

/** One secret for both: that of the data folder, or, on PostgreSQL, the one that the environment must have. */
function secretOf({ store = 'sqlite', folder }: AgentLocation): readonly Uint8Array[] | undefined {
  if (store === 'memory') return [randomBytes(32)]
  return store === 'sqlite' ? openSecret(folder) : undefined
}
