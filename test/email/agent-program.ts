import { createBeach } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { emailChannel } from '@cool-ai/beach-email'
import { defineActor } from '@cool-ai/beach-session'
import { SqliteStore } from '@cool-ai/beach-session/sqlite'
import { domains } from '@cool-ai/beach-testing/mail'

/** An agent with mail, as a process of its own that a test can kill. Its mail is from domains without rules. */
const [path = '', officePort = '', hangsAt = ''] = process.argv.slice(2)
const runtime = systemRuntime({ logger: silentLogger })
const store = await SqliteStore.open({ path, runtime })
const secret = new Uint8Array(32).fill(9)
const channel = emailChannel({
  address: 'agent@corp.example',
  name: 'Sally',
  store,
  secret,
  runtime,
  outbound: { host: '127.0.0.1', port: Number(officePort) },
  smtp: { host: '127.0.0.1', port: 0 },
  dns: domains().dns,
  guests: true,
  push: { firstDelayMs: 20, maxDelayMs: 100, attempts: 1_000 },
})

await createBeach({
  agent: { id: 'sally', name: 'Sally' },
  data: { store, secret },
  runtime,
  turns: { leaseMs: 500 },
  channels: [channel],
  actors: {
    sally: defineActor(async ({ text, respond }) => {
      if (hangsAt === 'turn') {
        console.log('hanging')
        await new Promise<never>(() => {})
      }
      await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
    }),
  },
})
console.log(`port ${channel.smtpPort()}`)
setInterval(() => {}, 60_000)
