import type { ActorContext, BeachOptions } from '@cool-ai/beach'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { whatsAppChannel, type WhatsAppChannel, type WhatsAppChannelOptions } from '@cool-ai/beach-phones'
import { onTestFinished } from 'vitest'
import {
  LastingStore,
  movableClock,
  phoneFiles,
  quickPush,
  secret,
  startProcess,
  type PhoneProcess,
} from '../support/phone-context.ts'
import { WhatsAppStandIn } from '@cool-ai/beach-testing/whatsapp'
import { mergeOptions } from '../support/merge-options.ts'

export const anna = { phone: '4915100000001', userId: 'DE.1001' }
export const berta = { phone: '4915100000002', userId: 'DE.1002' }

export type WhatsAppContext = Awaited<ReturnType<typeof whatsAppContext>>

/** An agent on WhatsApp: the stand-in of the Cloud API, and a store that processes come and go on. */
export async function whatsAppContext() {
  const clock = movableClock()
  const { runtime } = clock
  const standIn = new WhatsAppStandIn(clock.now)
  await standIn.server.listen()
  const store = new LastingStore({ runtime })
  const files = phoneFiles(clock)
  const guarded = guardedFetch({ allow: [standIn.server.origin], limits: { bytes: 20_000_000, headersMs: 2_000 } })
  const processes: PhoneProcess[] = []
  onTestFinished(async () => {
    for (const process of processes) await process.stop()
    await guarded.close()
    await standIn.close()
  })

  async function start(
    actor: (turn: ActorContext) => Promise<void>,
    more: Partial<WhatsAppChannelOptions> = {},
    beach: Partial<BeachOptions> = {},
  ): Promise<PhoneProcess & { readonly channel: WhatsAppChannel }> {
    const channel = whatsAppChannel({
      ...standIn.account,
      store,
      secret,
      runtime,
      ...files,
      fetch: (url, init) => guarded(url, init),
      push: quickPush,
      ...more,
    })
    const process = await startProcess(
      actor,
      channel,
      mergeOptions({ data: { store, artifacts: files.artifacts }, runtime }, beach),
    )
    processes.push(process)
    standIn.webhook = `${process.url}/channels/whatsapp`
    return { ...process, channel }
  }

  return { clock, runtime, standIn, store, files, start }
}
