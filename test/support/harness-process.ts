import type { ActorContext } from '@cool-ai/beach'
import type { PhoneProcess } from './phone-context.ts'

type Actor = (turn: ActorContext) => Promise<void>

/** The one process that a harness of people has at a time. */
export function harnessProcess(startProcess: (actor: Actor) => Promise<PhoneProcess>) {
  let process: PhoneProcess | undefined
  return {
    requireRunning(): void {
      if (process === undefined) throw new Error('No process is there.')
    },
    async start(actor: Actor) {
      const started = (process = await startProcess(actor))
      return {
        sessions: started.beach.sessions,
        async stop() {
          process = undefined
          await started.stop()
        },
      }
    },
  }
}
