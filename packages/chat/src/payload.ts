import { createHash } from 'node:crypto'
import type { Decision } from '@cool-ai/beach-core'

/** What a button of ours stands for. Its id is the same on every platform; Telegram has 64 bytes for all of it. */
export type Payload =
  | { readonly decision: Decision['decision']; readonly approval: string }
  /** The number of a choice in the message that has the button. */
  | { readonly pick: number }
  /** The number of a choice that opens a form. */
  | { readonly form: number }

const actions = { granted: 'approve', denied: 'deny' } as const
const nameLength = 24
const formAction = 'form-'

/** An approval’s id as a button can hold it. */
export function approvalName(approvalId: string): string {
  return createHash('sha256').update(approvalId).digest('base64url').slice(0, nameLength)
}

/** The id and the value of a button that decides. */
export function decisionButton(decision: Decision['decision'], approvalId: string) {
  return { id: actions[decision], value: approvalName(approvalId) }
}

/** The id and the value of a button that chooses. */
export function pickButton(number: number) {
  // Slack wants each button of a card to have an id of its own.
  return { id: `pick-${number}`, value: String(number) }
}

/** The id and the value of a button that opens a form. */
export function formButton(number: number) {
  return { id: `${formAction}${number}`, value: String(number), actionType: 'modal' as const }
}

/** Whether a button with this id opens a form. */
export function opensForm(action: string): boolean {
  return action.startsWith(formAction)
}

/** Reads what was pressed; undefined for a button of another app or version. */
export function readPayload(action: string, value: string): Payload | undefined {
  if (action.startsWith('pick-') || opensForm(action)) {
    const number = Number(value)
    if (!Number.isSafeInteger(number) || number <= 0) return undefined
    return opensForm(action) ? { form: number } : { pick: number }
  }
  if (action === actions.granted) return { decision: 'granted', approval: value }
  return action === actions.denied ? { decision: 'denied', approval: value } : undefined
}
