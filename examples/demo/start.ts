import { join } from 'node:path'
import { runAgents, startAgent } from '@cool-ai/example-chat-page'
import { freePort } from '@cool-ai/beach-testing/free-port'
import { coffeeAgent } from '@cool-ai/example-coffee'
import { organiserAgent } from '@cool-ai/example-organiser'
import { travelAgent } from '@cool-ai/example-travel'

// The travel agent, and on the next port the organiser, which asks it. The organiser goes first and reads the other's
// card when it first asks, so that both are there when the travel agent is. The coffee shop is on the travel agent's
// port, at /coffee.
await runAgents(async (place) => {
  const port = place.port === 0 ? await freePort(2) : place.port
  const url = `http://127.0.0.1:${port}`
  const organiser = await startAgent(
    {
      ...organiserAgent(url),
      links: () => [
        { label: 'ExampleTravel', url },
        { label: 'Example Coffee', url: `${url}/coffee/` },
      ],
    },
    { ...place, port: port + 1, folder: join(place.folder, 'organiser') },
  )
  try {
    const links = () => [
      { label: 'Organiser', url: organiser.url },
      { label: 'Example Coffee', url: '/coffee/' },
    ]
    const mounted = { '/coffee': coffeeAgent }
    // The organiser's card is on this machine: it says that the organiser's model wants llm-context.
    const callerCards = { allowOrigins: [new URL(organiser.url).origin] }
    const make: typeof travelAgent.make = async (...given) => ({ ...(await travelAgent.make(...given)), callerCards })
    return [await startAgent({ ...travelAgent, make, links, mounted }, { ...place, port }), organiser]
  } catch (error) {
    await organiser.close()
    throw error
  }
})
