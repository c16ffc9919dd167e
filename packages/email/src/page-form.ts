import { readBytes } from '@cool-ai/beach-channel/http'
import { BeachError, type Clock } from '@cool-ai/beach-core'
import type { Tokens } from '@cool-ai/beach-core/tokens'
import { tokenHash } from './approval-token.ts'

const formType = 'application/x-www-form-urlencoded'
const maxBodyBytes = 32_768
const validMs = 60 * 60 * 1_000

/** The page that a form belongs to. */
export interface FormContext {
  readonly forms: Tokens
  /** What names the page; it is secret. */
  readonly token: string
  readonly clock: Clock
}

/** The hidden field of a form: it says that this page has shown the form, for this token, within the hour. */
export async function formField({ forms, token, clock }: FormContext): Promise<string> {
  const issuedAt = clock.now()
  const form = await forms.sign({ sub: tokenHash(token) }, { issuedAt, expiresAt: issuedAt + validMs })
  return `<input type="hidden" name="form" value="${form}">`
}

/** The fields of the page's form. No other form, body or page counts. */
export async function formFields(
  request: Request,
  place: FormContext,
  isField: (name: string) => boolean,
): Promise<Readonly<Record<string, string>>> {
  if (request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() !== formType) {
    throw new BeachError('UNSUPPORTED_MEDIA_TYPE', `Send the form of the page, as \`${formType}\`.`)
  }
  const bytes = await readBytes(request, maxBodyBytes, { clock: place.clock })
  const fields = new URLSearchParams(new TextDecoder().decode(bytes))
  const given = [...fields.keys()]
  const { form = '', ...values } = Object.fromEntries(fields)
  const isWhole = new Set(given).size === given.length && given.every((name) => name === 'form' || isField(name))
  if (!isWhole || !(await isOurs(form, place))) {
    throw new BeachError(
      'FORBIDDEN',
      'This is not the form of the page, or it is too old. Open the link of the mail again.',
    )
  }
  return values
}

async function isOurs(form: string, { forms, token }: FormContext): Promise<boolean> {
  const verified = await forms.verify(form)
  return verified.status === 'valid' && verified.claims.sub === tokenHash(token)
}
