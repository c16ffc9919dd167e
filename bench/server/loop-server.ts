import { beginEvents, serveTurns, writeEvent } from './http-turns.ts'
import { providerLoop } from './provider-loop.ts'

/** A provider loop without a framework, behind bare `node:http`. */
serveTurns(async ({ text }, response) => {
  beginEvents(response)
  for await (const delta of providerLoop(text)) writeEvent(response, { delta })
  response.end()
})
