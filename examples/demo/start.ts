import { join } from 'node:path'
import { runAgents, startAgent, type Running } from '@cool-ai/example-chat-page'
import { organiserAgent } from '@cool-ai/example-organiser'
import { travelAgent } from '@cool-ai/example-travel'

// The travel agent, and on the next port the organiser, which asks it.
await runAgents(async (place) => {
  let organiser: Running | undefined
  const links = () => (organiser === undefined ? [] : [{ label: 'Organiser', url: organiser.url }])
  const travel = await startAgent({ ...travelAgent, links }, place)
  try {
    const next = { ...place, port: place.port === 0 ? 0 : place.port + 1, folder: join(place.folder, 'organiser') }
    const back = () => [{ label: 'ExampleTravel', url: travel.url }]
    organiser = await startAgent({ ...organiserAgent(travel.url), links: back }, next)
  } catch (error) {
    await travel.close()
    throw error
  }
  return [travel, organiser]
})
