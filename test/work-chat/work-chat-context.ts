import type { ActorContext, BeachOptions } from '@cool-ai/beach'
import { chatChannel, type ChatChannelOptions } from '@cool-ai/beach-chat'
import { onTestFinished } from 'vitest'
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
import type { WorkChat } from './platforms/work-chat.ts'

export type WorkChatContext<Chat extends WorkChat = WorkChat> = Awaited<ReturnType<typeof workChatContext<Chat>>>

/** People are the same on all channels of a platform, as an application’s directory would have it. */
export const principalOf: ChatChannelOptions['principalOf'] = ({ adapter, user }) => {
  return { kind: 'user', id: `${adapter}:${user}`, tenant: 'default' }
}

/** An agent on a work chat: the stand-in of its platform, and a store that processes come and go on. */
export async function workChatContext<Chat extends WorkChat>(open: (now: () => number) => Chat) {
  const clock = movableClock()
  const { runtime } = clock
  const chat = open(clock.now)
  await chat.listen()
  const store = new LastingStore({ runtime })
  const files = phoneFiles(clock)
  const processes: PhoneProcess[] = []
  onTestFinished(async () => {
    for (const process of processes) await process.stop()
    await chat.close()
  })

  async function start(
    actor: (turn: ActorContext) => Promise<void>,
    more: Partial<ChatChannelOptions> = {},
    beach: Partial<BeachOptions> = {},
  ): Promise<PhoneProcess> {
    const adapters = { [chat.name]: chat.adapter() }
    const channel = chatChannel({ adapters, push: quickPush, editEveryMs: 1, ...more })
    const process = await startProcess(
      actor,
      channel,
      mergeOptions({ data: { store, secret, artifacts: files.artifacts }, runtime }, beach),
    )
    processes.push(process)
    chat.reach(`${process.url}/channels/chat/${chat.name}`)
    return process
  }

  return { clock, runtime, chat, store, files, start }
}
