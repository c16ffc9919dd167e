import { emailOriginator } from '@cool-ai/beach-email'
import { defineTool, llmActor } from '@cool-ai/beach-llm'
import { answerTo, deliver, written } from '@cool-ai/beach-testing/mail'
import { describe, expect, test, type TestContext } from 'vitest'
import { z } from 'zod'
import { approvalIn, data, request, says, send, stateOf, stockClient } from '../a2a/agent.ts'
import { followed, mailbox, newSession, reachable } from '../support/listeners.ts'
import { messageModel, respond } from './message-model.ts'

// Document 004, "Parser behaviour": "When turnState: 'suspended' arrives with an approval-request part, beach-llm pauses tool
// execution until an approval-response injection arrives." The model asks itself; other channels than its own decide.

const desk = { kind: 'user', id: 'desk', tenant: 'default' } as const
const operator = { kind: 'operator', id: 'olga', tenant: 'default' } as const
const address = 'desk@home.example'

/** An agent whose model asks for the approval of a payment, and then says what came of it. */
async function asking(context: TestContext) {
  const paid: string[] = []
  const pay = defineTool({
    name: 'pay',
    description: 'Pays an invoice.',
    inputSchema: z.object({ invoice: z.string() }),
    handler: ({ invoice }) => {
      paid.push(invoice)
      return `paid ${invoice}`
    },
  })
  const asked = { data: { toolName: 'pay', args: { invoice: 'A1' } }, metadata: { partType: 'approval-request' } }
  const model = messageModel(async function* (prompt) {
    const result = JSON.stringify(prompt.at(-1))
    if (prompt.at(-1)?.role === 'user') yield respond({ parts: [asked], turnState: 'suspended' })
    else {
      const text = `The tool said: ${/paid A1|ToolDenied/.exec(result)?.[0]}.`
      yield respond({ parts: [{ text, metadata: { partType: 'response' } }], turnState: 'complete' })
    }
  })
  const agent = await reachable(context, {
    actors: { clerk: llmActor({ model, instructions: 'You pay invoices.', tools: [pay] }) },
    approvals: { approvers: ['owner', desk] },
  })
  const session = await newSession(agent.url)
  const panel = followed(session)
  return { agent, session, panel, paid }
}

describe('a model asks for an approval itself', () => {
  test('a page sees the request, and a mail decides it', async (context) => {
    const { agent, session, panel, paid } = await asking(context)
    await agent.beach.sessions.join(session.sessionId, emailOriginator({ address, principal: desk }), operator)
    const { path, headers } = session
    await fetch(`${path}/messages`, { method: 'POST', headers, body: JSON.stringify({ text: 'Pay A1.' }) })
    await panel.until('"partType":"approval-request"')
    await panel.until('"turnState":"suspended"')
    const mails = mailbox(agent, address)
    await mails.until('A1')
    expect(paid).toEqual([])
    const { office, domains, channel } = agent.mail
    const [mail] = office.inbox(address)
    if (mail === undefined) throw new Error('No mail has asked.')
    const raw = await written({ from: address, messageId: '<yes@home.example>', ...answerTo(mail, 'yes') })
    const signed = await domains.sign(raw, 'home.example')
    await deliver(channel.smtpPort() ?? 0, signed, { from: address, to: ['agent@corp.example'] })
    await panel.over()
    expect(panel.has('The tool said: paid A1.')).toBe(true)
    expect(paid).toEqual(['A1'])
  })

  test.for([
    ['granted', 'The tool said: paid A1.', ['A1']],
    ['denied', 'The tool said: ToolDenied.', []],
  ] as const)(
    'a page sees the request, and the peer that has asked decides it by A2A: %s',
    async ([decision, text, effects], context) => {
      const { agent, session, panel, paid } = await asking(context)
      const client = await stockClient(agent.url, 'JSONRPC 1.0', session.token)
      const { sessionId: contextId } = session
      const task = await send(client, says('Pay A1.', { contextId }))
      expect(stateOf(task)).toBe('INPUT_REQUIRED')
      await panel.until('"partType":"approval-request"')
      await panel.until('"turnState":"suspended"')
      expect(paid).toEqual([])
      const approvalId = approvalIn(task)
      const parts = [data({ approvalId, decision }, 'approval-response')]
      await client.sendMessage(request(says('', { contextId, taskId: task.id, parts })))
      await panel.over()
      expect(panel.has(text)).toBe(true)
      expect(paid).toEqual(effects)
    },
  )
})
