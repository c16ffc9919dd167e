import { type Client, type ElicitRequestFormParams, type ElicitResult } from '@modelcontextprotocol/client'

/** Has the user fill in a form of a server. */
export type FillIn = (form: ElicitRequestFormParams) => Promise<ElicitResult>

const secret =
  /pass(word|phrase|code)|secret|token|api[-_ ]?key|credential|private[-_ ]?key|\bpin\b|\bcvv\b|card number/i

/** Lets the server ask, by forms only; one that asks for a secret is declined in any case. */
export function answerForms(client: Client, fillIn: FillIn): void {
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    if (params.mode === 'url' || asksForSecret(params)) return { action: 'decline' }
    return withDefaults(await fillIn(params), params)
  })
}

function asksForSecret({ requestedSchema }: ElicitRequestFormParams): boolean {
  return Object.entries(requestedSchema.properties).some(([name, field]) => {
    const { title = '', description = '' } = field as { title?: string; description?: string }
    return [name, title, description].some((words) => secret.test(words))
  })
}

/** What was not filled in is as the form has it already. */
function withDefaults(result: ElicitResult, { requestedSchema }: ElicitRequestFormParams): ElicitResult {
  if (result.action !== 'accept') return result
  const defaults = Object.entries(requestedSchema.properties).flatMap(([name, field]) =>
    'default' in field && field.default !== undefined ? [[name, field.default] as const] : [],
  )
  return { ...result, content: { ...Object.fromEntries(defaults), ...result.content } }
}
