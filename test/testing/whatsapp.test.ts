import { defineActor } from '@cool-ai/beach'
import { silentLogger, systemRuntime } from '@cool-ai/beach-core'
import { testAgent } from '@cool-ai/beach-testing'
import { WhatsAppStandIn } from '@cool-ai/beach-testing/whatsapp'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { whatsApp } from '@cool-ai/beach-phones'
import { expect, onTestFinished, test } from 'vitest'

const greeter = defineActor(async ({ text, respond }) => {
  await respond({ parts: [{ partType: 'response', text: `You said: ${text}` }], turnState: 'complete' })
})

test('the greeter answers on WhatsApp', async () => {
  const standIn = new WhatsAppStandIn()
  await standIn.server.listen()
  onTestFinished(() => standIn.close())

  // A channel that talks to a server needs real time.
  const runtime = systemRuntime({ logger: silentLogger })
  const guarded = guardedFetch({ allow: [standIn.server.origin] })
  const fetch = (url: string, init: RequestInit) => guarded(url, init)
  const channel = whatsApp({ ...standIn.account, fetch })
  await using agent = await testAgent({ actors: { greeter }, channels: [channel], runtime })
  standIn.webhook = `${await agent.serve()}/channels/whatsapp`

  const anna = { phone: '447700900002' }
  await standIn.text(anna, 'hello')
  await expect.poll(() => standIn.of(anna).map(({ text }) => text), { timeout: 20_000 }).toEqual(['You said: hello'])
})
