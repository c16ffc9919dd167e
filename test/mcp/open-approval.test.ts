import { defineActor } from '@cool-ai/beach'
import { describe, expect, test } from 'vitest'
import { answerOf, connect, eras, newToken, say, startConcierge, textsOf, type Era } from './support.ts'

// Document 004, "Approvals": a turn that waits for an approval holds back those after it. A caller of MCP is told so.

const resume = 'ask_the_concierge_resume'

describe.each(Object.keys(eras) as Era[])('while an approval is open, a client of the %s era', (era) => {
  test('that cannot show forms is given that approval at once, and its message is not taken', async () => {
    const { url } = await startConcierge()
    const client = await connect(url, era)
    const { conversationId, meta, pendingApprovals = [] } = answerOf(await say(client, 'book it'))
    const blocked = await say(client, 'hello', conversationId)
    expect(blocked.isError).toBeUndefined()
    expect(blocked.structuredContent).toMatchObject({
      message: 'notTaken',
      pendingApprovals,
      meta: { ...meta, producedAt: expect.any(String) as string },
    })
    expect(textsOf(blocked)[0]?.text).toBe('Approval needed: Book\nFlight: BA 2043\nPrice: 187')
    expect(textsOf(blocked).at(-1)?.text).toContain('Your message was not taken, because an approval was open.')
    const args = { conversationId, approvalId: pendingApprovals[0], decision: 'granted' }
    expect(textsOf(await client.callTool({ name: resume, arguments: args }))[0]?.text).toBe('Booked: ref-1.')
    expect(textsOf(await say(client, 'hello', conversationId))[0]?.text).toBe('You said hello')
    const { contents } = await client.readResource({ uri: `beach://concierge/conversations/${conversationId}` })
    expect(JSON.stringify(contents).match(/hello/g)).toHaveLength(2)
  })

  test('that can show forms asks its user to decide, and says in the result that the message was not taken', async () => {
    const { url } = await startConcierge()
    let isAsked = false
    const client = await connect(url, era, {
      person: () => {
        const isFirst = !isAsked
        isAsked = true
        return isFirst ? { action: 'cancel' } : { action: 'accept', content: { decision: 'granted' } }
      },
    })
    const { conversationId } = answerOf(await say(client, 'book it'))
    const decided = await say(client, 'hello', conversationId)
    expect(textsOf(decided)[0]?.text).toBe('Booked: ref-1.')
    expect(decided.structuredContent).toMatchObject({ message: 'notTaken', meta: { turnState: 'complete' } })
    expect(textsOf(decided).at(-1)?.text).toContain('send it again')
  })

  test('whose message was taken before the approval was asked for is given the approval, and its answer stands later', async () => {
    const go = Promise.withResolvers<void>()
    const received = Promise.withResolvers<void>()
    const actor = defineActor(async ({ text, respond, tool }) => {
      if (text !== 'book it') {
        return respond({ parts: [{ partType: 'response', text: `You said ${text}` }], turnState: 'complete' })
      }
      received.resolve()
      await go.promise
      const call = { name: 'book', args: {}, requiresApproval: true }
      const { outcome } = await tool(call, async () => 'ref-1')
      return respond({ parts: [{ partType: 'response', text: outcome }], turnState: 'complete' })
    })
    const { url, serving } = await startConcierge({ actors: { actor } })
    const client = await connect(url, era, { token: await newToken(serving.url) })
    const { conversationId } = answerOf(await say(client, 'hello'))
    const booking = say(client, 'book it', conversationId)
    await received.promise
    const waiting = say(client, 'more', conversationId)
    const uri = `beach://concierge/conversations/${conversationId}`
    const transcript = async () => JSON.stringify((await client.readResource({ uri })).contents)
    await expect.poll(transcript, { timeout: 10_000 }).toContain('more')
    go.resolve()
    const { pendingApprovals = [] } = answerOf(await booking)
    expect(pendingApprovals).toHaveLength(1)
    const blocked = await waiting
    expect(blocked.structuredContent).toMatchObject({ message: 'waiting', pendingApprovals })
    expect(textsOf(blocked).at(-1)?.text).toContain(`Its answer will be in ${uri}.`)
    const args = { conversationId, approvalId: pendingApprovals[0], decision: 'denied' }
    await client.callTool({ name: resume, arguments: args })
    await expect.poll(transcript, { timeout: 10_000 }).toContain('You said more')
  })
})

describe.each(Object.keys(eras) as Era[])('a decision of a client of the %s era', (era) => {
  test('stands: the opposite one is refused, the same one is told again what came of it', async () => {
    const { url } = await startConcierge()
    const client = await connect(url, era)
    const { conversationId, pendingApprovals = [] } = answerOf(await say(client, 'book it'))
    const decide = (decision: string) =>
      client.callTool({ name: resume, arguments: { conversationId, approvalId: pendingApprovals[0], decision } })
    expect(textsOf(await decide('granted'))[0]?.text).toBe('Booked: ref-1.')
    expect(await decide('denied')).toMatchObject({
      isError: true,
      content: [{ text: 'This approval has been granted already, and that stands. It cannot be denied any more.' }],
    })
    expect(textsOf(await decide('granted'))[0]?.text).toBe('Booked: ref-1.')
  })

  test('in a form does not undo that of another channel', async () => {
    const { url, serving } = await startConcierge()
    const token = await newToken(serving.url)
    const deciding: Promise<unknown>[] = []
    const { promise: decided, resolve: elsewhere } = Promise.withResolvers<void>()
    const client = await connect(url, era, {
      token,
      person: () => ({ action: 'accept', content: { decision: 'denied' } }),
    })
    const other = await connect(url, era, { token })
    const { conversationId, pendingApprovals = [] } = answerOf(await say(other, 'book it'))
    client.setRequestHandler('elicitation/create', async () => {
      const args = { conversationId, approvalId: pendingApprovals[0], decision: 'granted' }
      deciding.push(other.callTool({ name: resume, arguments: args }).then(() => elsewhere()))
      await decided
      return { action: 'accept', content: { decision: 'denied' } }
    })
    const late = await say(client, 'hello', conversationId)
    expect(late).toMatchObject({ isError: true, content: [{ text: /has been granted already/ }] })
    await Promise.all(deciding)
  })
})
