import { createHmac, timingSafeEqual } from 'node:crypto'
import { BeachError } from '@cool-ai/beach-core'
import { z } from 'zod'

const maxFields = 200
const fieldName = /^[A-Za-z][A-Za-z0-9]{0,60}$/

/**
 * The fields of a form. Each name once, and only names that Twilio uses: names and values are signed without
 * separators, so that a value could otherwise pass for a part of a name.
 */
export function formFields(body: Uint8Array, contentType: string | null): Readonly<Record<string, string>> {
  if (contentType?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new BeachError('UNSUPPORTED_MEDIA_TYPE', 'Send a form, as `application/x-www-form-urlencoded`.')
  }
  const fields: Record<string, string> = {}
  const entries = [...new URLSearchParams(new TextDecoder().decode(body))]
  for (const [name, value] of entries) {
    const isWrong = !fieldName.test(name) || Object.hasOwn(fields, name) || Object.hasOwn(Object.prototype, name)
    if (isWrong || entries.length > maxFields) throw new BeachError('BAD_REQUEST', 'This is not a form of Twilio.')
    fields[name] = value
  }
  return fields
}

/** Whether one of the tokens has signed a form that was sent to this address. */
export function isSignedForm(
  url: string,
  fields: Readonly<Record<string, string>>,
  header: string | null,
  authTokens: readonly string[],
): boolean {
  const given = Buffer.from(header ?? '')
  const text =
    url +
    Object.keys(fields)
      .toSorted()
      .map((name) => name + (fields[name] ?? ''))
      .join('')
  // All are compared, so that the time does not tell which one it was.
  const matches = authTokens.filter((token) => {
    const expected = Buffer.from(createHmac('sha1', token).update(text).digest('base64'))
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  return matches.length > 0
}

const sid = z.string().regex(/^(?:SM|MM)[0-9a-fA-F]{32}$/)
/** Numbers; short codes and names can send, too. */
const sender = z.string().regex(/^(?:\+\d{5,20}|\d{3,8}|[\w .-]{1,20})$/)

const messageSchema = z.object({
  MessageSid: sid,
  AccountSid: z.string(),
  From: sender,
  To: z.string().min(1).max(64),
  Body: z.string().max(10_000),
  NumMedia: z.string().regex(/^\d{1,2}$/),
  OptOutType: z.string().max(20).optional(),
})

const statusSchema = z.object({
  MessageSid: sid,
  AccountSid: z.string(),
  To: z.string().min(1).max(64),
  MessageStatus: z.string().max(30),
  ErrorCode: z.string().max(10).optional(),
})

interface SmsMedia {
  readonly url: string
  readonly mimeType: string
}

/** A message that came in. */
export interface SmsMessage {
  readonly id: string
  readonly accountSid: string
  readonly from: string
  readonly to: string
  readonly text: string
  readonly optOut?: string
  readonly media: readonly SmsMedia[]
}

/** The status of a message of ours. */
export interface SmsStatus {
  readonly id: string
  readonly accountSid: string
  readonly to: string
  readonly status: string
  readonly code?: string
}

/** The message in a form; undefined when a field is missing, or invalid. */
export function messageOf(fields: Readonly<Record<string, string>>): SmsMessage | undefined {
  const read = messageSchema.safeParse(fields).data
  if (read === undefined || isCutElsewhere(fields)) return undefined
  const { MessageSid, AccountSid, From, To, Body, NumMedia, OptOutType } = read
  const media = Array.from({ length: Math.min(Number(NumMedia), 10) }, (_, index) => ({
    url: fields[`MediaUrl${index}`] ?? '',
    mimeType: fields[`MediaContentType${index}`] ?? 'application/octet-stream',
  }))
  if (media.some(({ url }) => !URL.canParse(url))) return undefined
  const optOut = OptOutType === undefined ? {} : { optOut: OptOutType }
  return { id: MessageSid, accountSid: AccountSid, from: From, to: To, text: Body, media, ...optOut }
}

/** All names that have the sender's or the text's in them. */
const aroundText: ReadonlySet<string> = new Set(['Body', 'From', 'FromCity', 'FromState', 'FromZip', 'FromCountry'])
const boundaries = ['AccountSid', 'Body', 'From', 'MessageSid', 'NumMedia']

/**
 * True when names and values may have been split in another place than Twilio did: the signature does not cover where
 * one ends. The sender chooses the text only. Split early, its rest becomes a field between `Body` and `From`, where
 * Twilio has none; split at a name that the text contains, the true name becomes part of another value, or of another
 * name.
 */
function isCutElsewhere(fields: Readonly<Record<string, string>>): boolean {
  return Object.entries(fields).some(([name, value]) => {
    if (name > 'Body' && name < 'From') return true
    if (/Body|From/.test(name) && !aroundText.has(name)) return true
    return name !== 'Body' && boundaries.some((boundary) => value.includes(boundary))
  })
}

export function statusOf(fields: Readonly<Record<string, string>>): SmsStatus | undefined {
  const read = statusSchema.safeParse(fields).data
  if (read === undefined) return undefined
  const { MessageSid, AccountSid, To, MessageStatus, ErrorCode } = read
  const code = ErrorCode === undefined ? {} : { code: ErrorCode }
  return { id: MessageSid, accountSid: AccountSid, to: To, status: MessageStatus, ...code }
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}
// What XML cannot hold at all.
// oxlint-disable-next-line no-control-regex
const unspeakable = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu

/** The answer to a message that came in: nothing, or a text. */
export function twiml(text?: string): Response {
  const message = text === undefined ? '' : `<Message>${escaped(text)}</Message>`
  const headers = { 'content-type': 'text/xml; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return new Response(`<?xml version="1.0" encoding="UTF-8"?><Response>${message}</Response>`, { headers })
}

function escaped(text: string): string {
  return text.replaceAll(unspeakable, '').replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
}
