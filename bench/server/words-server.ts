import { beginEvents, serveTurns, writeEvent } from './http-turns.ts'
import { spoken, wantedIn } from './script.ts'

/** The least that a program can do: it streams the deltas, without a model and without a tool. */
serveTurns(async ({ text }, response) => {
  beginEvents(response)
  for await (const delta of spoken(wantedIn(text))) writeEvent(response, { delta })
  response.end()
})
