import { connect, openSession, type Conversation } from '@cool-ai/beach-client'
import { EnvelopeStream, type StreamPart } from '@cool-ai/beach-protocol/stream'
import { readEvents } from '../../support/server-events.ts'
import { insist, reasonOf } from '../insist.ts'
import type { Script, Transcript } from '../script.ts'
import type { Client, ClientContext } from './client.ts'
import { SeenCursors } from './seen-cursors.ts'

type Frame = Parameters<EnvelopeStream['apply']>[0]

const readWithinMs = 3_000

/** Holds a conversation as a page does, by server-sent events or WebSocket, with the project's own client. */
export const holdByPage: Client = async (script, context) => {
  const { balancer, signal } = context
  const seen = new SeenCursors()
  const { url } = balancer
  const session = await insist(() => openSession({ url, fetch: balancer.fetch, signal }), signal)
  const via = script.way === 'sse' ? 'sse' : 'websocket'
  const conversation = connect({
    url,
    ...session,
    via,
    fetch: seen.fetchBy(balancer),
    WebSocket: seen.webSocketBy(balancer),
  })
  const shown = new Map<string, number>()
  const { token = '' } = session
  const page = { script, stream: conversation.stream, seen, shown, path: `/sessions/${session.sessionId}`, token }
  conversation.stream.on('part', ({ partId }) => shown.set(partId, (shown.get(partId) ?? 0) + 1))
  try {
    for (const [index, ask] of script.asks.entries()) {
      await conversation.send(`${script.name} ${ask}`)
      if (ask === 'pay') await approve(conversation, index, signal)
      await until(conversation, ({ turns }) => turns.length > index && turns.every((turn) => turn.settled), signal)
    }
  } catch (error) {
    const { connection, pending } = conversation
    const client = {
      connection,
      pending,
      lastCursor: conversation.stream.lastCursor,
      heard: seen.connections.slice(-3),
    }
    const log = await typesRead(page, context)
    const found = `the client has ${JSON.stringify(client)}, a new reader is told ${log}`
    throw new Error(`${reasonOf(error)}; ${found}`, { cause: error })
  } finally {
    conversation.close()
  }
  return { read: (end) => transcriptOf(page, { ...context, signal: end }) }
}

/** What a client that has nothing yet is told within a moment, for a conversation that did not end. */
async function typesRead({ path, token }: Page, { balancer }: ClientContext): Promise<string> {
  const { href } = balancer.next(`${balancer.url}${path}/events`)
  const told: string[] = []
  try {
    const frames = readEvents(href, { authorization: `Bearer ${token}` }, {}, AbortSignal.timeout(readWithinMs))
    for await (const { event, id, data } of frames) {
      told.push(`${id ?? '-'} ${event} ${JSON.stringify(data).slice(0, 120)}`)
    }
  } catch (error) {
    told.push(reasonOf(error))
  }
  return JSON.stringify(told)
}

async function approve(conversation: Conversation, index: number, signal: AbortSignal): Promise<void> {
  const asked = ({ parts, turns }: EnvelopeStream) =>
    turns.length > index ? parts.findLast((part) => part.partType === 'approval-request') : undefined
  await until(conversation, (stream) => asked(stream) !== undefined, signal)
  const { approvalId = '' } = (asked(conversation.stream)?.data ?? {}) as { approvalId?: string }
  await conversation.approve(approvalId)
}

function until(conversation: Conversation, condition: (stream: EnvelopeStream) => boolean, signal: AbortSignal) {
  const { stream } = conversation
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = () => {
    if (condition(stream)) resolve()
  }
  const stopping = conversation.on('change', look)
  const aborted = () => reject(new Error(`given up with the turns ${JSON.stringify(stream.turns)}`))
  signal.addEventListener('abort', aborted)
  look()
  return promise.finally(() => {
    stopping()
    signal.removeEventListener('abort', aborted)
  })
}

interface Page {
  readonly script: Script
  readonly stream: EnvelopeStream
  readonly seen: SeenCursors
  readonly shown: ReadonlyMap<string, number>
  readonly path: string
  readonly token: string
}

async function transcriptOf(page: Page, context: ClientContext): Promise<Transcript> {
  const { script, stream, seen, shown } = page
  const { cursors, whole } = await insist(() => readAll(page, context), context.signal)
  const before = new Set(seen.connections.flat())
  const missing = cursors.filter((cursor) => !before.has(cursor))
  const invented = [...before].filter((cursor) => !cursors.includes(cursor))
  const problems = [
    ...missing.map((cursor) => `the event ${cursor} never reached the client`),
    ...invented.map((cursor) => `the client has an event ${cursor} that is not in the log`),
    ...seen.connections
      .filter((each) => !isRising(each))
      .map((each) => `a connection brought the events ${each.join()}`),
    ...(isRising(cursors) ? [] : [`a full read gives the events ${cursors.join()}`]),
    ...[...shown].filter(([, count]) => count > 1).map(([partId, count]) => `the part ${partId} came ${count} times`),
    ...(JSON.stringify(stream.parts.map(wordsOf)) === JSON.stringify(whole.parts.map(wordsOf))
      ? []
      : [
          `the client has ${JSON.stringify(stream.parts.map(wordsOf))}, the log ${JSON.stringify(whole.parts.map(wordsOf))}`,
        ]),
  ]
  return { ...script, answers: answersIn(whole, problems), problems }
}

/** The whole conversation as a client sees it that has nothing of it yet. */
async function readAll({ stream, path, token }: Page, { balancer, signal }: ClientContext) {
  const whole = new EnvelopeStream()
  const cursors: string[] = []
  const headers = { authorization: `Bearer ${token}` }
  const { href } = balancer.next(`${balancer.url}${path}/events`)
  for await (const { event, id, data } of readEvents(href, headers, {}, signal)) {
    whole.apply({ kind: event, ...(id !== undefined && { cursor: id }), ...(data as object) } as Frame)
    if (id !== undefined) cursors.push(id)
    if (id === stream.lastCursor) return { cursors, whole }
  }
  throw new Error('The stream ended too early.')
}

/** Each message with what was answered in its turn: the n-th turn answers the n-th message. */
function answersIn({ parts, turns }: EnvelopeStream, problems: string[]): Transcript['answers'] {
  const asked = parts.filter((part) => part.partType === 'message').map((part) => part.text ?? '')
  if (turns.length !== asked.length) problems.push(`${asked.length} messages have ${turns.length} turns`)
  return asked.map((text, index) => {
    const said = parts.filter((part) => part.partType === 'response' && part.turnId === turns[index]?.turnId)
    return { asked: text, texts: said.map((part) => part.text ?? '') }
  })
}

function wordsOf({ partId, partType, text, open }: StreamPart) {
  return [partId, partType, text, open]
}

function isRising(cursors: readonly string[]): boolean {
  return cursors.every((cursor, index) => index === 0 || Number(cursor) > Number(cursors[index - 1]))
}
