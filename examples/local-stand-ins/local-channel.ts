import { fileURLToPath } from 'node:url'
import { errorResponse, hasForeignOrigin, jsonResponse, readJson, remoteNetwork } from '@cool-ai/beach-channel/http'
import { plainPage } from '@cool-ai/beach-channel/pages'
import { BeachError, systemRuntime, type Channel } from '@cool-ai/beach-core'
import { bundlePage, pageFiles, type PageFiles } from '@cool-ai/example-kit/bundle-page'
import { z } from 'zod'
import type { LocalKey } from './local-key.ts'
import type { Mailboxes } from './mailboxes.ts'
import type { Phones } from './phones.ts'
import type { WorkChats } from './work-chats.ts'

interface LocalContext {
  readonly key: LocalKey
  readonly mailboxes: Mailboxes
  readonly phones: Phones
  readonly chats: WorkChats
}

const words = z.string().trim().min(1).max(20_000)
const mailSchema = z.object({
  neighbour: z.string(),
  text: words,
  subject: z.string().max(500).optional(),
  answers: z.string().optional(),
})
const messageSchema = z.union([
  z.object({ text: words.max(4_096), replyTo: z.string().optional() }),
  z.object({ tap: z.object({ message: z.string(), title: z.string() }) }),
])
const appSchema = z.enum(['whatsapp', 'sms'])
const chatSchema = z.union([
  z.object({ text: words.max(10_000), thread: z.string().optional() }),
  z.object({ press: z.object({ message: z.string(), label: z.string() }) }),
  z.object({ submit: z.object({ form: z.string().max(100), values: z.record(z.string(), z.string().max(10_000)) }) }),
])
const placeSchema = z.enum(['channel', 'direct'])
const pages: ReadonlySet<string> = new Set(['/local/mailbox', '/local/phone', '/local/chat'])

const logger = systemRuntime().logger
const loopbackNames: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * The pages of the local people, under `/local`, and what they read and write by. It answers only requests from this
 * machine that carry the key from the printed link; no session data passes through it.
 */
export function localChannel(context: LocalContext): Channel {
  return {
    transport: 'local-stand-ins',
    deliveryClass: 'buffered',
    paths: ['/local/*'],
    start: async () => {},
    async fetch(request) {
      try {
        checkLocal(request)
        return (await context.key.exchange(request)) ?? (await answer(context, request))
      } catch (error) {
        return errorResponse(error, logger)
      }
    },
  }
}

export function isLoopback(hostname: string): boolean {
  return loopbackNames.has(hostname)
}

/** Refuses requests from other machines and from pages of other sites. */
function checkLocal(request: Request): void {
  const network = remoteNetwork(request)
  const isHere = network !== undefined && (network.startsWith('127.') || network === '0:0:0:0')
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip'].some((name) => request.headers.has(name))
  if (!isHere || isForwarded || !isLoopback(new URL(request.url).hostname)) {
    throw new BeachError('NOT_FOUND', 'These pages are only for users of the machine that the agent runs on.')
  }
  if (request.method !== 'GET' && hasForeignOrigin(request)) {
    throw new BeachError('FORBIDDEN', 'Another site may not do this here.')
  }
}

async function answer(context: LocalContext, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const [first = '', ...rest] = pathname.split('/').slice(2).map(decoded)
  if (!(await context.key.opens(request))) {
    // The chat page asks this for every visitor, to know whether to show the way here.
    if (first === 'api' && rest[0] === 'news') return jsonResponse({ isOpen: false })
    const message =
      'The mailbox, the phone and the work chat are opened by the link that the agent printed when it started.'
    if (request.headers.get('accept')?.includes('text/html') !== true) throw new BeachError('FORBIDDEN', message)
    return plainPage({
      status: 403,
      from: 'On this machine',
      title: 'Open the link in the terminal',
      body: `<p>${message}</p>`,
    })
  }
  if (first !== 'api') {
    needMethod(request, 'GET')
    return page(request, pathname)
  }
  const [topic, ...more] = rest
  if (topic === 'news') return news(context, request, more)
  if (topic === 'mails') return mails(context.mailboxes, request, more)
  if (topic === 'phones') return phones(context.phones, request, more)
  if (topic === 'chats') return chats(context.chats, request, more)
  if (topic === 'media' && more.length === 1) return media(context.phones, request, more[0] ?? '')
  throw nothing()
}

let bundled: Promise<PageFiles> | undefined
const serve = pageFiles("frame-src 'self'")

/** A page, or a file of one. They are bundled at the first request, so that the agent starts without them. */
async function page(request: Request, path: string): Promise<Response> {
  const files = await (bundled ??= bundlePage(fileURLToPath(new URL('page', import.meta.url)), '/local/'))
  const name = pages.has(path) ? '/index.html' : path.slice('/local'.length)
  const file = name === '/index.html' && path.endsWith('.html') ? undefined : files.get(name)
  if (file === undefined) throw nothing()
  return serve(request, name, file)
}

function news(
  { mailboxes, phones: all, chats: work }: LocalContext,
  request: Request,
  [which]: readonly string[],
): Response {
  needMethod(request, 'GET')
  if (which === 'mailbox') return jsonResponse({ count: mailboxes.unread() })
  if (which === 'phone') return jsonResponse({ count: all.unread() })
  if (which === 'chat') return jsonResponse({ count: work.unread() })
  throw nothing()
}

async function mails(mailboxes: Mailboxes, request: Request, path: readonly string[]): Promise<Response> {
  const [id, part, index] = path
  if (id === undefined) {
    needMethod(request, 'GET', 'POST')
    if (request.method === 'GET') return jsonResponse(mailboxes.state())
    const { neighbour: person, text, subject, answers } = parsed(mailSchema, await readJson(request))
    const mail = { text, subject, answers }
    return jsonResponse({ id: await mailboxes.write(person, mail) }, 201)
  }
  if (part === 'read') {
    needMethod(request, 'POST')
    mailboxes.markRead(id)
    return new Response(null, { status: 204 })
  }
  needMethod(request, 'GET')
  if (part === undefined) return jsonResponse(mailboxes.detail(id))
  if (part === 'html') return shownMail(mailboxes.html(id))
  if (part === 'files' && index !== undefined && /^\d{1,3}$/.test(index)) {
    const { name, bytes } = mailboxes.file(id, Number(index))
    return download(bytes, name)
  }
  throw nothing()
}

async function phones(all: Phones, request: Request, path: readonly string[]): Promise<Response> {
  const [person, given, part] = path
  if (person === undefined) {
    needMethod(request, 'GET')
    return jsonResponse(all.state())
  }
  needMethod(request, 'POST')
  const app = appSchema.safeParse(given).data
  if (app === undefined) throw nothing()
  if (part === 'read') {
    all.markRead(person, app)
    return new Response(null, { status: 204 })
  }
  if (part !== undefined) throw nothing()
  const message = parsed(messageSchema, await readJson(request))
  if ('tap' in message) {
    if (app === 'sms') throw new BeachError('BAD_REQUEST', 'An SMS has no buttons. Send a text.')
    await all.tap(person, message.tap.message, message.tap.title)
  } else await all.write(person, app, message.text, message.replyTo)
  return new Response(null, { status: 204 })
}

async function chats(all: WorkChats, request: Request, path: readonly string[]): Promise<Response> {
  const [person, given = '', part] = path
  if (person === undefined) {
    needMethod(request, 'GET')
    return jsonResponse(all.state())
  }
  if (person === 'files' && part === undefined) {
    needMethod(request, 'GET')
    const { name, bytes } = all.file(given)
    return download(new Uint8Array(bytes), name)
  }
  needMethod(request, 'POST')
  const place = placeSchema.safeParse(given).data
  if (place === undefined) throw nothing()
  if (part === 'read') {
    all.markRead(person, place)
    return new Response(null, { status: 204 })
  }
  if (part !== undefined) throw nothing()
  const message = parsed(chatSchema, await readJson(request))
  if ('press' in message) {
    const form = await all.press(person, message.press.message, message.press.label)
    if (form !== undefined) return jsonResponse(form)
  } else if ('submit' in message) await all.submit(person, message.submit.form, message.submit.values)
  else await all.write(person, place, message.text, message.thread)
  return new Response(null, { status: 204 })
}

function media(all: Phones, request: Request, id: string): Response {
  needMethod(request, 'GET')
  const { bytes, mimeType } = all.media(id)
  return download(new Uint8Array(bytes), 'file', mimeType.startsWith('image/') ? mimeType : undefined)
}

/** A mail's HTML, for a frame in which nothing runs and nothing is fetched; what it links to opens next to. */
function shownMail(html: string): Response {
  return new Response(`<!doctype html><base target="_blank"><meta name="color-scheme" content="light">${html}`, {
    headers: {
      ...quiet,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; " +
        "img-src data:; form-action 'none'; frame-ancestors 'self'",
    },
  })
}

const quiet = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' }

function download(bytes: Uint8Array<ArrayBuffer>, name: string, mimeType = 'application/octet-stream'): Response {
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll("'", '%27')
  return new Response(bytes, {
    headers: {
      ...quiet,
      'content-type': mimeType,
      'content-disposition': `attachment; filename*=UTF-8''${encoded}`,
      'content-security-policy': "sandbox; default-src 'none'",
    },
  })
}

function parsed<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const where = issue?.path.join('.') || 'the body'
  throw new BeachError('BAD_REQUEST', `This cannot be sent: ${where}: ${issue?.message ?? 'not understood'}.`)
}

function needMethod(request: Request, ...methods: readonly string[]): void {
  if (methods.includes(request.method)) return
  const allow = methods.join(', ')
  throw new BeachError('METHOD_NOT_ALLOWED', `Use ${methods.join(' or ')} here.`, { details: { allow } })
}

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece)
  } catch {
    throw nothing()
  }
}

function nothing(): BeachError {
  return new BeachError('NOT_FOUND', 'There is nothing here. See /local/mailbox and /local/phone.')
}
