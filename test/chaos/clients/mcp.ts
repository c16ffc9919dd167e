import { openSession } from '@cool-ai/beach-client'
import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { taskSession } from '../../support/task-session.ts'
import { insist } from '../insist.ts'
import type { Transcript } from '../script.ts'
import type { Client, ClientContext } from './client.ts'

type Session = Awaited<ReturnType<typeof taskSession>>['session']

/** Asks by MCP with the stock client of the tasks extension; each message is a conversation of its own. */
export const holdByMcp: Client = async (script, context) => {
  const { balancer, signal } = context
  const { url, fetch } = balancer
  const { token = '' } = await insist(() => openSession({ url, fetch, signal }), signal)
  const person = () => ({ action: 'accept', content: { decision: 'granted' } }) as const
  const opened = await insist(() => taskSession(new URL('/mcp', url), { token, person, fetch }), signal)
  const answers: Transcript['answers'][number][] = []
  try {
    for (const ask of script.asks) answers.push(await answerTo(`${script.name} ${ask}`, opened.session, context))
  } finally {
    // It may find nothing to say goodbye to.
    await opened.close().catch(() => {})
  }
  return { read: async () => ({ ...script, answers, problems: [] }) }
}

/** A call has no key: one whose task the client never learned of may have begun, so each try has words of its own. */
async function answerTo(asked: string, session: Session, { signal }: ClientContext) {
  let said = ''
  let tries = 0
  let reference: ReturnType<typeof referenceOf>
  const result = await insist(async () => {
    if (reference === undefined) said = `${asked} ${++tries}`
    const execution =
      reference === undefined
        ? await session.callTool('ask_chaos', { message: said })
        : await session.resumeTask(reference)
    reference ??= referenceOf(execution)
    const settled = resultFromTaskOutcome((await execution.settle()).outcome) as Settled
    // A store that cannot be reached is a 503 by HTTP; by MCP it is an error without an answer, and the task goes on.
    if (settled.isError === true && settled.structuredContent?.parts === undefined) {
      throw new Error(`The call ended without an answer: ${JSON.stringify(settled)}`)
    }
    return settled
  }, signal)
  const { structuredContent } = result
  const answered = (structuredContent?.parts ?? []).filter((part) => part.metadata?.partType === 'response')
  return { asked: said, texts: answered.map((part) => part.text ?? '') }
}

function referenceOf(execution: Awaited<ReturnType<Session['callTool']>>) {
  return execution.kind === 'task' ? execution.serializeReference() : undefined
}

interface Settled {
  readonly isError?: boolean
  readonly structuredContent?: { readonly parts?: Part[] }
}

interface Part {
  readonly text?: string
  readonly metadata?: { readonly partType?: string }
}
