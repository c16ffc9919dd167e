import { defineActor } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { MemoryStore } from '@cool-ai/beach-session/memory'
import { testAgent } from '@cool-ai/beach-testing'
import { WhatsAppStandIn } from '@cool-ai/beach-testing/whatsapp'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { whatsAppChannel } from '@cool-ai/beach-phones'
import { expect, onTestFinished, test } from 'vitest'

const greeter = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
})

test('the greeter answers on WhatsApp', async () => {
  const whatsApp = new WhatsAppStandIn()
  await whatsApp.server.listen()
  onTestFinished(() => whatsApp.close())

  // A channel that talks to a server needs real time.
  const runtime = systemRuntime({ logger: silentLogger })
  const [store, secret] = [new MemoryStore({ runtime }), new Uint8Array(32).fill(7)]
  const guarded = guardedFetch({ allow: [whatsApp.server.origin] })
  const fetch = (url: string, init: RequestInit) => guarded(url, init)
  const channel = whatsAppChannel({ ...whatsApp.account, store, secret, runtime, fetch })
  await using agent = await testAgent({ actors: { greeter }, channels: [channel], store, secret, runtime })
  whatsApp.webhook = `${await agent.serve()}/channels/whatsapp`

  const anna = { phone: '447700900002' }
  await whatsApp.text(anna, 'hello')
  await expect.poll(() => whatsApp.of(anna).map(({ text }) => text), { timeout: 20_000 }).toEqual(['You said: hello'])
})
