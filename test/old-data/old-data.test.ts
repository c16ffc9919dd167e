import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Serving } from '@cool-ai/beach'
import { connect, type Conversation, type Snapshot } from '@cool-ai/beach-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oldClerk } from './old-clerk.ts'
import { unpackFolder, type OldFolder } from './old-folder.ts'

/** Longer than the lease of the process that was killed. */
const laterMs = 60_000
const operator = { kind: 'operator', id: 'ops', tenant: 'default' } as const

describe.each(['schema-1', 'schema-3'])('a data folder of an earlier version (%s)', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'beach-test-'))
  let old: OldFolder
  let clerk: Awaited<ReturnType<typeof oldClerk>>
  let serving: Serving

  beforeAll(async () => {
    old = unpackFolder(name, folder)
    clerk = await oldClerk(folder, old.at + laterMs)
    serving = await clerk.beach.listen({ port: 0, signals: false })
  })

  afterAll(async () => {
    await serving.close()
    rmSync(folder, { recursive: true, force: true })
  })

  function open({ sessionId, token }: { sessionId: string; token: string }): Conversation {
    return connect({ sessionId, token, url: serving.url, via: 'sse' })
  }

  test('is read with the token of then, and goes on', async () => {
    const conversation = open(old.talked)
    const before = ['good morning', 'You said: good morning', 'and good night', 'You said: and good night']
    await shows(conversation, ({ parts }) => parts.length === 4)
    expect(textsOf(conversation)).toEqual(before)
    await conversation.send('hello again')
    await shows(conversation, ({ parts }) => parts.length === 6)
    expect(textsOf(conversation)).toEqual([...before, 'hello again', 'You said: hello again'])
    conversation.close()
  })

  test('has an approval that is decided now, and its tool runs once', async () => {
    const conversation = open(old.asked)
    await shows(conversation, ({ parts }) => parts.some(({ partType }) => partType === 'approval-request'))
    expect(await conversation.approve(old.asked.approvalId)).toBe('decided')
    await shows(conversation, ({ parts }) => parts.some(({ text }) => text === 'A1 is paid.'))
    expect(await conversation.approve(old.asked.approvalId)).toBe('already')
    expect(clerk.ran.filter((run) => run.startsWith('pay'))).toEqual(['pay A1'])
    conversation.close()
  })

  test('has a turn whose process was killed, and it ends now', async () => {
    const conversation = open(old.killed)
    await shows(conversation, ({ parts }) => parts.some(({ text }) => text === 'A2 is read.'))
    expect(clerk.ran.filter((run) => run.startsWith('scan'))).toEqual(['scan A2'])
    conversation.close()
  })

  test('has a flow that its user ends now', async () => {
    const { sessionId, token } = old.ordered
    const [, claims = ''] = token.split('.')
    const user = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {
      kind: 'anonymous'
      id: string
      tenant: string
    }
    const active = await clerk.flows.active(sessionId, user)
    const [instanceId = ''] = Object.keys(active)
    const instance = { intentId: 'order.place', state: 'review', props: { item: 'latte' } }
    expect(active).toEqual({ [instanceId]: expect.objectContaining(instance) as unknown })
    await clerk.flows.dispatch(sessionId, instanceId, { event: 'CONFIRM' }, user)
    expect(await clerk.flows.active(sessionId, user)).toEqual({})
  })

  test('has an artifact behind the link of then, missives and identities', async () => {
    const response = await fetch(new URL(old.link, serving.url))
    expect([response.status, await response.text()]).toEqual([200, 'Paid with thanks.'])
    const { missives } = clerk.beach
    await missives?.caughtUp()
    const found = await missives?.find({ text: 'good night' }, operator)
    expect(found?.items.length).toBeGreaterThan(0)
    const person = await missives?.identities.of('phone:+4930123456', 'default')
    expect(person?.addresses.toSorted()).toEqual(['email:ann@example.com', 'phone:+4930123456'])
    expect((await fetch(new URL('/readyz', serving.url))).status).toBe(200)
  })
})

/** Resolves once the conversation looks as expected; the test's time limit says when it does not. */
function shows(conversation: Conversation, isExpected: (snapshot: Snapshot) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isExpected(conversation.snapshot)) return
      stop()
      resolve()
    }
    const stop = conversation.on('change', look)
    look()
  })
}

function textsOf({ snapshot }: Conversation): (string | undefined)[] {
  return snapshot.parts.map(({ text }) => text)
}
