import type { WhatsAppContent } from './whatsapp-message.ts'

/** An error as the Graph API answers with it. */
export class GraphProblem extends Error {
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** What a reader sees of a message with buttons or rows that is within all limits. */
export function shownInteractive({ interactive: shown }: WhatsAppContent): string {
  within(shown?.body.text, 1, 1_024, 'interactive.body.text')
  if (shown?.footer !== undefined) within(shown.footer.text, 1, 60, 'interactive.footer.text')
  const { buttons = [], button, sections = [] } = shown?.action ?? {}
  if (shown?.type === 'button') {
    require(buttons.length >= 1 && buttons.length <= 3, 'There are one to three buttons', 131_009)
    for (const { reply } of buttons) {
      within(reply.title, 1, 20, 'A button’s title')
      within(reply.id, 1, 256, 'A button’s id')
    }
    unique(buttons.map(({ reply }) => reply.id))
    unique(buttons.map(({ reply }) => reply.title))
    return [shown.body.text, shown.footer?.text, ...buttons.map(({ reply }) => reply.title)].join('\n')
  }
  const rows = sections.flatMap((section) => section.rows)
  require(shown?.type === 'list' && rows.length >= 1 && rows.length <= 10, 'There are one to ten rows', 131_009)
  within(button, 1, 20, 'The list’s button')
  for (const row of rows) {
    within(row.title, 1, 24, 'A row’s title')
    within(row.id, 1, 200, 'A row’s id')
    if (row.description !== undefined) within(row.description, 1, 72, 'A row’s description')
  }
  unique(rows.map(({ id }) => id))
  return [shown?.body.text, ...rows.map(({ title, description = '' }) => `${title} ${description}`)].join('\n')
}

/** Refuses a text that is too short or too long. */
export function within(text: string | undefined, min: number, max: number, name: string): void {
  const { length } = text ?? ''
  require(length >= min && length <= max, `${name} has ${length} characters; ${min} to ${max} are allowed`)
}

function unique(names: readonly string[]): void {
  require(new Set(names).size === names.length, 'Something is there twice', 131_009)
}

/** Answers with an error unless the condition holds. */
export function require(condition: boolean, message: string, code = 100): void {
  if (!condition) throw new GraphProblem(400, code, `(#${code}) ${message}`)
}
