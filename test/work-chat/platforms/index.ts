import { discordChat } from './discord.ts'
import { googleChat } from './gchat.ts'
import { slackChat } from './slack.ts'
import { teamsChat } from './teams.ts'
import { telegramChat } from './telegram.ts'
import type { WorkChat, WorkChatTraits } from './work-chat.ts'

/** A platform that the tests run on. */
export interface TestedPlatform extends WorkChatTraits {
  readonly platform: string
  readonly open: (now: () => number) => WorkChat
  /** The words of the attacks that its fixture knows. */
  readonly odd: readonly string[]
  readonly forged: readonly string[]
  readonly hasCommands: boolean
  readonly hasForms: boolean
}

const all = {
  hasPrivateWords: true,
  canRead: true,
  hasThreads: true,
  hasWorkspaces: true,
  hasStatus: true,
  uploads: 'all',
} as const

/** The platforms, with what each does not have. */
export const platforms: readonly TestedPlatform[] = [
  tested(slackChat, all),
  tested(discordChat, { ...all, hasPrivateWords: false, hasWorkspaces: false }),
  tested(teamsChat, { ...all, uploads: 'pictures' }),
  tested(googleChat, { ...all, canRead: false, hasWorkspaces: false, hasStatus: false, uploads: 'none' }),
  tested(telegramChat, { ...all, hasPrivateWords: false, canRead: false, hasThreads: false, hasWorkspaces: false }),
]

function tested(open: (now: () => number) => WorkChat, traits: WorkChatTraits): TestedPlatform {
  const chat = open(() => 0)
  const { name: platform, odd, forged } = chat
  void chat.close().catch(() => {})
  return {
    ...traits,
    platform,
    open,
    hasCommands: chat.command !== undefined,
    hasForms: chat.openForm !== undefined,
    odd: Object.keys(odd),
    forged: Object.keys(forged),
  }
}
