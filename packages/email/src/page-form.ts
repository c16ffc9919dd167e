import { readBytes } from '@cool-ai/beach-channel/http'
import { BeachError, type Clock, type Decision } from '@cool-ai/beach-core'
import type { Tokens } from '@cool-ai/beach-core/tokens'
import { tokenHash } from './approval-token.ts'

const formType = 'application/x-www-form-urlencoded'
const maxBodyBytes = 4_096
const validMs = 60 * 60 * 1_000

/** What a decision form is made with, and for which token. */
export interface FormContext {
  readonly forms: Tokens
  readonly token: string
  readonly clock: Clock
}

/** The two buttons. The hidden field says that this page has shown them, for this token, within the hour. */
export async function decisionForm({ forms, token, clock }: FormContext): Promise<string> {
  const issuedAt = clock.now()
  const form = await forms.sign({ sub: tokenHash(token) }, { issuedAt, expiresAt: issuedAt + validMs })
  return `<form method="post"><input type="hidden" name="form" value="${form}"><button name="decision" value="granted">Approve</button><button name="decision" value="denied">Deny</button></form>`
}

/** The decision by the form of the page. No other form, body or page decides anything. */
export async function decisionOf(request: Request, place: FormContext): Promise<Decision> {
  if (request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() !== formType) {
    throw new BeachError('UNSUPPORTED_MEDIA_TYPE', `Send the form of the page, as \`${formType}\`.`)
  }
  const bytes = await readBytes(request, maxBodyBytes, { clock: place.clock })
  const fields = new URLSearchParams(new TextDecoder().decode(bytes))
  const [names, values] = [[...fields.keys()], Object.fromEntries(fields)]
  if (names.length !== 2 || !(await isOurs(values.form ?? '', place))) {
    throw new BeachError(
      'FORBIDDEN',
      'This is not the form of the page, or it is too old. Open the link of the mail again.',
    )
  }
  const { decision } = values
  if (decision === 'granted' || decision === 'denied') return { decision }
  throw new BeachError('BAD_REQUEST', 'Say `decision=granted` or `decision=denied`.')
}

async function isOurs(form: string, { forms, token }: FormContext): Promise<boolean> {
  const verified = await forms.verify(form)
  return verified.status === 'valid' && verified.claims.sub === tokenHash(token)
}
