import { Task } from '@a2a-js/sdk'
import type { PreviewItem } from '@cool-ai/beach-core/ports'
import { segmentsOf } from '@cool-ai/beach-phones'
import { describe, expect, test } from 'vitest'
import { says, stockClient as a2aClient } from '../a2a/agent.ts'
import { connect } from '../mcp/support.ts'
import { callerCard } from '../support/caller-card.ts'
import { readEvents, type ServerEvent } from '../support/server-events.ts'
import { operator, until } from '../support/phone-context.ts'
import { anna, joinAnna, plainContext, previewContext, turnAtRest, Visitor, type Preview } from './preview-context.ts'

/** Links are signed with the time at which they are made. */
function unsigned<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(/(\/artifacts\/[\w-]+)\?[^"\s\\]+/g, '$1')) as Value
}

/** What is made only when something is sent: tokens, codes, and the ids of uploads. */
const hidden = '******'

/** A message of the Cloud API without whom it is for. */
function withoutAddressee(content: object): Record<string, unknown> {
  const heads = new Set(['messaging_product', 'recipient_type', 'to', 'recipient', 'biz_opaque_callback_data'])
  const rest = Object.fromEntries(Object.entries(content).filter(([name]) => !heads.has(name)))
  return typeof rest.document === 'object' ? { ...rest, document: { ...rest.document, id: hidden } } : rest
}

function ofKind<Kind extends PreviewItem['kind']>(preview: Preview | undefined, kind: Kind) {
  return (preview?.items ?? []).filter((item): item is Extract<PreviewItem, { kind: Kind }> => item.kind === kind)
}

describe('what a preview shows is what is sent', () => {
  test.each(['flights', 'where', 'book', 'link'])('by mail, on WhatsApp and by SMS: %s', async (text) => {
    const context = await previewContext()
    const visitor = await Visitor.open(context.url)
    await joinAnna(context, visitor.session)
    const before = context.whatsApp.of({ phone: anna.phone }).length
    await visitor.say(text)
    const turnId = await turnAtRest(context, visitor.session)
    const previews = await visitor.previewed(turnId)
    const mails = ofKind(previews.get('smtp'), 'mail')
    const messages = ofKind(previews.get('whatsapp'), 'message')
    const texts = ofKind(previews.get('sms'), 'message')
    await until(() => context.office.inbox(anna.address).length === mails.length)
    await until(() => context.whatsApp.of({ phone: anna.phone }).length === before + messages.length)
    await until(() => context.twilio.of(anna.sms).length === texts.length)
    expect([mails.length, messages.length, texts.length].every((count) => count > 0)).toBe(true)

    const got = context.office.inbox(anna.address).map(({ email }) => {
      const attachments = email.attachments.map(({ filename, mimeType, content }) => {
        return { name: filename, mimeType, sizeBytes: (content as ArrayBuffer).byteLength }
      })
      const body = (words = '') => words.replaceAll(/[a-z2-9]{42}/g, hidden).trim()
      return { kind: 'mail', subject: email.subject, text: body(email.text), html: body(email.html), attachments }
    })
    expect(got).toEqual(mails)

    const sent = context.whatsApp.of({ phone: anna.phone }).slice(before)
    expect(sent.map(({ content }) => withoutAddressee(content))).toEqual(messages.map(({ payload }) => payload))

    const bodies = context.twilio.of(anna.sms).map(({ body }) => body.replaceAll(/\b(YES|NO) \d{6}\b/g, `$1 ${hidden}`))
    expect(unsigned(bodies)).toEqual(unsigned(texts.map((item) => item.text)))
    const segments = context.twilio.of(anna.sms).map(({ body }) => `${segmentsOf(body).segments} `)
    expect(texts.map(({ note = '' }) => /^\d+ /.exec(note)?.[0])).toEqual(segments)
  })

  test('by mail, when an approver was asked and has decided', async () => {
    const context = await previewContext()
    const visitor = await Visitor.open(context.url)
    await joinAnna(context, visitor.session)
    await visitor.say('book')
    const turnId = await turnAtRest(context, visitor.session)
    const { turn } = await context.beach.sessions.view(visitor.session, operator)
    await context.beach.sessions.decide(turn?.pendingApprovals[0] ?? '', { decision: 'granted' }, operator)
    await until(() => context.office.inbox(anna.address).length === 2)
    const mails = ofKind((await visitor.previewed(turnId)).get('smtp'), 'mail')
    expect(mails.map(({ subject }) => subject)).toEqual(
      context.office.inbox(anna.address).map(({ email }) => email.subject),
    )
    expect(mails.map(({ text }) => text)[1]).toBe('booked: ok')
  })

  test('in the browser, event by event', async () => {
    const context = await previewContext()
    const visitor = await Visitor.open(context.url)
    await visitor.say('flights')
    const turnId = await turnAtRest(context, visitor.session)
    const events: ServerEvent[] = []
    for await (const event of readEvents(`${context.url}/sessions/${visitor.session}/events`, visitor.headers)) {
      events.push(event)
      if (event.event === 'settled') break
    }
    const items = ofKind((await visitor.previewed(turnId)).get('sse'), 'json')
    expect(unsigned(items.map(({ value }) => value))).toEqual(unsigned(events))
    expect(items.map(({ title }) => title)).toContain('artifact')
  })

  test.each(['flights', 'where', 'book'])('to a peer that asks by A2A: %s', async (text) => {
    const { metadata, callerCards } = await callerCard(['llm-context', 'a2ui-surface'])
    const context = await previewContext({ access: { callerCards } })
    const visitor = await Visitor.open(context.url)
    const client = await a2aClient(context.url, 'HTTP+JSON 1.0', visitor.token)
    const message = says(text, { metadata })
    const configuration = { acceptedOutputModes: [], returnImmediately: false, taskPushNotificationConfig: undefined }
    const sent = await client.sendMessage({ message, configuration, metadata: undefined, tenant: '' })
    const task = sent as Task
    const turnId = String(task.metadata?.turnId)
    const [item] = ofKind((await visitor.previewed(turnId, task.contextId)).get('a2a'), 'json')
    expect(unsigned(item?.value)).toEqual(unsigned(Task.toJSON(task)))
    expect(JSON.stringify(item?.value).includes('llm-context')).toBe(text === 'flights')
  })

  test.each(['flights', 'where', 'book'])('to a model that asks by MCP: %s', async (text) => {
    const context = await previewContext()
    const visitor = await Visitor.open(context.url)
    const client = await connect(new URL('/mcp', context.url), 'modern', { token: visitor.token })
    const result = await client.callTool({ name: 'ask_sally', arguments: { message: text } })
    const { conversationId, meta } = result.structuredContent as { conversationId: string; meta: { turnId: string } }
    const [item] = ofKind((await visitor.previewed(meta.turnId, conversationId)).get('mcp'), 'json')
    const { content, structuredContent } = (item?.value ?? {}) as typeof result
    expect(unsigned(content)).toEqual(unsigned(result.content))
    const timeless = ({ meta: { producedAt: _, ...rest }, ...more }: { meta: { producedAt?: string } }) => {
      return { ...more, meta: rest }
    }
    // What is not settled is of the moment at which it is asked for.
    expect(unsigned(timeless(structuredContent as { meta: object }))).toEqual(
      unsigned(timeless(result.structuredContent as { meta: object })),
    )
  })
})

describe('a peer that was not there', () => {
  test('is shown the llm-context that it would have had, and the log stays as it is', async () => {
    const context = await previewContext()
    const visitor = await Visitor.open(context.url)
    await visitor.say('flights')
    const turnId = await turnAtRest(context, visitor.session)
    expect(context.translations).toEqual([])
    const previews = await visitor.previewed(turnId)
    expect(JSON.stringify(previews.get('a2a')?.items)).toContain('One direct flight; nothing to compare.')
    for (const transport of ['sse', 'mcp', 'smtp', 'whatsapp', 'sms']) {
      expect(JSON.stringify(previews.get(transport)?.items)).not.toContain('nothing to compare')
    }
    expect(context.translations).toHaveLength(1)
    expect(JSON.stringify([...previews.values()])).not.toContain('A secret of the model.')
  })
})

/** All that a store holds, by everything that can be listed. */
async function keysOf({ store }: { store: { list: (under: string) => Promise<readonly unknown[]> } }) {
  return JSON.stringify(await store.list(''))
}

describe('a preview changes nothing', () => {
  test.each(['flights', 'book'])('of the log, the store, or of what was sent: %s', async (text) => {
    const context = await previewContext()
    const visitor = await Visitor.open(context.url)
    await joinAnna(context, visitor.session)
    await visitor.say(text)
    const turnId = await turnAtRest(context, visitor.session)
    const view = () => context.beach.sessions.view(visitor.session, operator)
    await until(async () => (await view()).inFlight.every(({ kind }) => kind !== 'delivery'))
    const attempts = () =>
      [context.office.attempts, context.whatsApp.attempts, context.twilio.attempts].map((all) => all.length)
    const before = {
      view: await view(),
      keys: await keysOf(context),
      attempts: attempts(),
      media: context.whatsApp.media.size,
    }
    expect((await visitor.previews(turnId)).status).toBe(200)
    const after = {
      view: await view(),
      keys: await keysOf(context),
      attempts: attempts(),
      media: context.whatsApp.media.size,
    }
    expect(after).toEqual(before)
  })

  test('and gives away nothing to decide with', async () => {
    const context = await previewContext()
    const visitor = await Visitor.open(context.url)
    await joinAnna(context, visitor.session)
    await visitor.say('book')
    const turnId = await turnAtRest(context, visitor.session)
    const json = await (await visitor.previews(turnId)).text()
    expect(json).toContain(`Reply YES ${hidden} or NO ${hidden}`)
    expect(json).toContain(`/approvals/by-mail/${hidden}`)
    expect(json).not.toMatch(/YES \d{6}/)
    expect(json).not.toMatch(/by-mail\/[a-z2-9]/)
  })
})

describe('a turn that is still under way', () => {
  test('has nothing for buffered listeners, and says so', async () => {
    const context = await previewContext()
    const visitor = await Visitor.open(context.url)
    await visitor.say('wait')
    let turnId: string | undefined
    await until(async () => {
      turnId = (await context.beach.sessions.view(visitor.session, operator)).turn?.turnId
      return turnId !== undefined
    })
    const previews = await visitor.previewed(turnId ?? '')
    for (const transport of ['mcp', 'smtp', 'whatsapp', 'sms']) {
      expect(previews.get(transport)).toMatchObject({ items: [], note: expect.stringMatching(/^Nothing yet/) })
    }
    expect(previews.get('sse')?.items.length).toBeGreaterThan(0)
    context.release()
  })
})

describe('a channel that the agent does not have', () => {
  test('is shown as it would be, and what the agent has is told from it', async () => {
    const context = await plainContext()
    const visitor = await Visitor.open(context.url)
    await visitor.say('hello')
    const previews = await visitor.previewed(await turnAtRest(context, visitor.session))
    expect([...previews.values()].map(({ label, isConfigured }) => [label, isConfigured])).toEqual([
      ['Browser', true],
      ['Peer agent', false],
      ['MCP caller', false],
      ['Email', false],
      ['WhatsApp', false],
      ['SMS', false],
      ['Work chat', false],
      ['AI SDK page', true],
      ['OpenAI client', true],
    ])
    for (const { items } of previews.values()) expect(JSON.stringify(items)).toContain('hello')
    expect(ofKind(previews.get('smtp'), 'mail')[0]?.subject).toBe('A message from Sally')
  })
})

describe('a mail in a frame', () => {
  test('is the mail as it is, in which nothing runs', async () => {
    const context = await previewContext()
    const visitor = await Visitor.open(context.url)
    await visitor.say('flights')
    const turnId = await turnAtRest(context, visitor.session)
    const [mail] = ofKind((await visitor.previewed(turnId)).get('smtp'), 'mail')
    const path = `${context.url}/sessions/${visitor.session}/turns/${turnId}/previews`
    const framed = await fetch(`${path}/smtp/0`, { headers: visitor.headers })
    expect(framed.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(framed.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'; /)
    expect(await framed.text()).toContain(mail?.html ?? 'nothing')
    const statusOf = async (rest: string, by = visitor) =>
      (await fetch(`${path}/${rest}`, { headers: by.headers })).status
    expect(await statusOf('smtp/1')).toBe(404)
    expect(await statusOf('smtp/x')).toBe(404)
    expect(await statusOf('sms/0')).toBe(404)
    expect(await statusOf('pigeon/0')).toBe(404)
    expect(await statusOf('smtp/0', await Visitor.open(context.url))).toBe(404)
  })
})

describe('an answer that is too long for SMS', () => {
  test('is shown with the place of its link, and no file is kept for it', async () => {
    const context = await previewContext()
    const visitor = await Visitor.open(context.url)
    await visitor.say(`tell ${'word '.repeat(600)}`)
    const turnId = await turnAtRest(context, visitor.session)
    const files = async () =>
      (await context.files.artifacts.list({ session: visitor.session, tenant: 'default' })).items
    const before = await files()
    const texts = ofKind((await visitor.previewed(turnId)).get('sms'), 'message')
    expect(texts).toHaveLength(1)
    expect(texts[0]?.text).toMatch(/\.\.\. All of it: \*{6}$/)
    expect(await files()).toEqual(before)
  })
})

describe('the viewer of previews', () => {
  test('is the owner of the session only', async () => {
    const context = await previewContext()
    const [visitor, other] = [await Visitor.open(context.url), await Visitor.open(context.url)]
    await visitor.say('flights')
    const turnId = await turnAtRest(context, visitor.session)
    expect((await other.previews(turnId, visitor.session)).status).toBe(404)
    expect((await other.previews(turnId)).status).toBe(404)
    expect((await visitor.previews('turn_nosuch')).status).toBe(404)
    const path = `${context.url}/sessions/${visitor.session}/turns/${turnId}/previews`
    expect((await fetch(path)).status).toBe(401)
    expect((await fetch(path, { headers: { 'x-operator': 'yes' } })).status).toBe(404)
    const posted = await fetch(path, { method: 'POST', headers: visitor.headers })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET'])
    expect((await visitor.previews(turnId)).headers.get('cache-control')).toBe('no-store')
  })
})

test('document 000, canonical part types: a file that is known by its URL only goes by that, by every channel', async () => {
  const world = await previewContext()
  const visitor = await Visitor.open(world.url)
  await joinAnna(world, visitor.session)
  await visitor.say('link')
  const previews = await visitor.previewed(await turnAtRest(world, visitor.session))
  const url = 'https://files.example/2026/a%20report.pdf'
  for (const transport of ['sse', 'a2a', 'mcp', 'smtp', 'whatsapp', 'sms']) {
    expect([transport, JSON.stringify(previews.get(transport)?.items)]).toEqual([
      transport,
      expect.stringContaining(url),
    ])
  }
  for (const transport of ['mcp', 'smtp', 'whatsapp', 'sms']) {
    expect([transport, JSON.stringify(previews.get(transport)?.items)]).toEqual([
      transport,
      expect.stringContaining('a report.pdf'),
    ])
  }
  const [result] = ofKind(previews.get('mcp'), 'json')
  const link = { type: 'resource_link', uri: url, name: 'a report.pdf' }
  expect(result?.value).toMatchObject({ content: expect.arrayContaining([expect.objectContaining(link)]) as unknown[] })
})
