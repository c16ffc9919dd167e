import type { ActorContext, BeachOptions } from '@cool-ai/beach'
import { guardedFetch } from '@cool-ai/beach-channel/guarded-fetch'
import { smsChannel, type SmsChannel, type SmsChannelOptions } from '@cool-ai/beach-phones'
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
import { TwilioStandIn, type SmsReceived } from '@cool-ai/beach-testing/sms'
import { mergeOptions } from '../support/merge-options.ts'

export const anna = '+4915100000001'
export const berta = '+4915100000002'

export type SmsContext = Awaited<ReturnType<typeof smsContext>>

/** An agent on SMS: the stand-in of Twilio, and a store that processes come and go on. */
export async function smsContext() {
  const clock = movableClock()
  const { runtime } = clock
  const twilio = new TwilioStandIn(clock.now)
  await twilio.server.listen()
  const store = new LastingStore({ runtime })
  const files = phoneFiles(clock, twilio.publicUrl)
  const guarded = guardedFetch({ allow: [twilio.server.origin], limits: { bytes: 20_000_000, headersMs: 2_000 } })
  const processes: PhoneProcess[] = []
  onTestFinished(async () => {
    for (const process of processes) await process.stop()
    await guarded.close()
    await twilio.server.close()
  })

  async function start(
    actor: (turn: ActorContext) => Promise<void>,
    more: Partial<SmsChannelOptions> = {},
    beach: Partial<BeachOptions> = {},
  ): Promise<PhoneProcess & { readonly channel: SmsChannel }> {
    const channel = smsChannel({
      ...twilio.account,
      countries: ['DE'],
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
    twilio.agent = process.url
    return { ...process, channel }
  }

  return { clock, runtime, twilio, store, files, start }
}

/** The code of the last request that a person has got. */
export function codeIn(received: readonly SmsReceived[]): string {
  const code = received.flatMap(({ body }) => /YES (\d{6})/.exec(body)?.[1] ?? []).at(-1)
  if (code === undefined) throw new Error('No request has come.')
  return code
}
