import type { Client, ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { answerForms, type FillIn } from './elicitation.ts'

type Handler = (request: { params: unknown }) => Promise<ElicitResult>

/** What a server gets for a form. */
function asked(params: unknown, fillIn: FillIn): Promise<ElicitResult> {
  let handler: Handler | undefined
  const client = { setRequestHandler: (_: string, given: Handler) => (handler = given) }
  answerForms(client as unknown as Client, fillIn)
  return handler?.({ params }) ?? Promise.reject(new Error('No person answers forms.'))
}

const form = (properties: Record<string, object>) =>
  ({ message: 'Please.', requestedSchema: { type: 'object', properties } }) as ElicitRequestFormParams
const accept: FillIn = async () => ({ action: 'accept', content: { city: 'Rome' } })

test('a form is filled in, with its defaults for what was left open', async () => {
  const params = form({ city: { type: 'string', default: 'Oslo' }, people: { type: 'integer', default: 2 } })
  expect(await asked(params, accept)).toEqual({ action: 'accept', content: { city: 'Rome', people: 2 } })
  expect(await asked(params, async () => ({ action: 'cancel' }))).toEqual({ action: 'cancel' })
})

test.each([
  [{ password: { type: 'string' } }],
  [{ value: { type: 'string', title: 'Your API key' } }],
  [{ value: { type: 'string', description: 'The secret of your account' } }],
  [{ city: { type: 'string' }, access_token: { type: 'string' } }],
  [{ code: { type: 'string', title: 'PIN' } }],
])('a form that asks for a secret is declined, and no person sees it: %o', async (properties) => {
  let shown = 0
  const fillIn: FillIn = async (params) => {
    shown++
    return accept(params)
  }
  expect(await asked(form(properties), fillIn)).toEqual({ action: 'decline' })
  expect(shown).toBe(0)
})

test('a link to somewhere else is declined', async () => {
  expect(await asked({ mode: 'url', message: 'Log in.' }, accept)).toEqual({ action: 'decline' })
})
