import { runAgent } from '@cool-ai/example-kit'
import { helloActor } from './hello-actor.ts'

await runAgent({
  agent: { id: 'hello', name: 'Hello' },
  make: () => ({
    actors: { hello: helloActor },
    // Short, so that after a crash the next process goes on soon; the default suits machines under heavy load.
    turns: { leaseMs: 2_000 },
  }),
})
