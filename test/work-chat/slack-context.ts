import type { ActorContext, BeachOptions } from '@cool-ai/beach'
import { chatChannel, type ChatChannelOptions } from '@cool-ai/beach-chat'
import { SlackStandIn } from '@cool-ai/beach-testing/slack'
import { createSlackAdapter } from '@chat-adapter/slack'
import { onTestFinished } from 'vitest'
import { silent } from './silent.ts'
import { mergeOptions } from '../support/merge-options.ts'
import {
  LastingStore,
  movableClock,
  phoneFiles,
  quickPush,
  secret,
  startProcess,
  type PhoneProcess,
} from '../support/phone-context.ts'

export type SlackContext = Awaited<ReturnType<typeof slackContext>>

/** An agent on Slack: the stand-in of its Web API, and a store that processes come and go on. */
export async function slackContext() {
  const clock = movableClock()
  const { runtime } = clock
  const standIn = new SlackStandIn(clock.now)
  await standIn.server.listen()
  const store = new LastingStore({ runtime })
  const files = phoneFiles(clock)
  const processes: PhoneProcess[] = []
  onTestFinished(async () => {
    for (const process of processes) await process.stop()
    await standIn.close()
  })

  async function start(
    actor: (turn: ActorContext) => Promise<void>,
    more: Partial<ChatChannelOptions> = {},
    beach: Partial<BeachOptions> = {},
  ): Promise<PhoneProcess> {
    const slack = createSlackAdapter({ ...standIn.account, logger: silent })
    const channel = chatChannel({ adapters: { slack }, push: quickPush, editEveryMs: 1, ...more })
    const process = await startProcess(
      actor,
      channel,
      mergeOptions({ data: { store, secret, artifacts: files.artifacts }, runtime }, beach),
    )
    processes.push(process)
    standIn.webhook = `${process.url}/channels/chat/slack`
    return process
  }

  return { clock, runtime, standIn, store, files, start }
}
