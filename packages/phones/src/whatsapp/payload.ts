import { createHash } from 'node:crypto'
import type { Decision } from '@cool-ai/beach-core'
import { whatsAppLimits } from './options.ts'

/** What a button or a row of ours stands for. */
export type Payload =
  | { readonly decision: Decision['decision']; readonly approval: string }
  | { readonly say: string }
  /** The number of a choice in the message that has the row or the button. */
  | { readonly pick: string }

const maxIdLength = whatsAppLimits.payload - 'approve:'.length

/** An approval's id as a payload can hold it: a long one as its digest. */
export function approvalName(approvalId: string): string {
  const isShort = Buffer.byteLength(approvalId) <= maxIdLength
  return isShort ? approvalId : `sha256-${createHash('sha256').update(approvalId).digest('hex')}`
}

export function decisionPayload(decision: Decision['decision'], approvalId: string): string {
  return `${decision === 'granted' ? 'approve' : 'deny'}:${approvalName(approvalId)}`
}

/** An answer to choose; options have at most 80 characters, so it fits. */
export function sayPayload(option: string): string {
  return `say:${option}`.slice(0, whatsAppLimits.payload)
}

export function pickPayload(number: number): string {
  return `pick:${number}`
}

export function readPayload(payload: string): Payload | undefined {
  const [, kind, rest] = /^(approve|deny|say|pick):([\s\S]+)$/.exec(payload) ?? []
  if (kind === undefined || rest === undefined) return undefined
  if (kind === 'say') return { say: rest }
  if (kind === 'pick') return { pick: rest }
  return { decision: kind === 'approve' ? 'granted' : 'denied', approval: rest }
}
