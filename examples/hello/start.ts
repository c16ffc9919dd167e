import { runAgent } from '@cool-ai/example-kit'
import { helloActorAt } from './hello-actor.ts'

await runAgent({
  agent: { id: 'hello', name: 'Hello' },
  make: () => ({
    actors: { hello: helloActorAt(Number(process.env.BEACH_SCRIPT_MS ?? 40)) },
    // Short, so that after a crash the next process goes on soon; the default suits machines under heavy load.
    turns: { leaseMs: 2_000 },
  }),
})
