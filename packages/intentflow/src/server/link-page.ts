import { escapeHtml } from '@cool-ai/beach-core/runtime'
import type { EventField } from './event-fields.ts'

/** What a link's page shows: how the flow stands, and what can be done about it. */
export interface LinkPage {
  readonly title: string
  readonly text: string
  /** What went wrong, or why there is nothing to do. */
  readonly notice?: string
  /** True while something of it is being worked on: the page is fetched again by itself. */
  readonly isBusy?: boolean
  readonly forms?: readonly LinkForm[]
}

/** One thing that can be done: a form that sends one event. */
export interface LinkForm {
  readonly label: string
  /** Sent with it, out of sight. */
  readonly hidden: Readonly<Record<string, string>>
  readonly fields: readonly EventField[]
  readonly isQuiet?: boolean
}

/** The name of a payload's field in a form. */
export const fieldName = (name: string): string => `p.${name}`

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  // Not `no-referrer`: browsers would send the forms as from nowhere, and those are refused.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}

/** The page as a response: no scripts, nothing from elsewhere, in no frame. */
export function linkPageResponse(page: LinkPage, status = 200): Response {
  return new Response(linkPageHtml(page), { status, headers })
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;margin:0;background:#f6f6f4;color:#1c1c1c}' +
  'main{max-width:34rem;margin:0 auto;padding:1.5rem}h1{font-size:1.4rem}' +
  'pre{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere;background:#fff;padding:1rem;border-radius:.5rem}' +
  '.notice{border-left:4px solid #b3541e;background:#fff;padding:.75rem 1rem}' +
  'form{background:#fff;padding:1rem;border-radius:.5rem;margin:1rem 0}label{display:block;margin:.5rem 0}' +
  'input:not([type=checkbox]),select,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}' +
  'small{color:#555}button{font:inherit;padding:.6rem 1.2rem;border-radius:.5rem;border:1px solid #1d4f91;' +
  'background:#1d4f91;color:#fff}button.quiet{background:#fff;color:#1d4f91}'

/** The page as HTML. */
function linkPageHtml({ title, text, notice, isBusy, forms = [] }: LinkPage): string {
  const busy = isBusy === true ? '<meta http-equiv="refresh" content="3">' : ''
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    `<meta name="viewport" content="width=device-width, initial-scale=1">${busy}` +
    `<title>${escapeHtml(title)}</title><style>${style}</style></head><body><main><h1>${escapeHtml(title)}</h1>` +
    (notice === undefined ? '' : `<p class="notice" role="status">${escapeHtml(notice)}</p>`) +
    (text === '' ? '' : `<pre>${escapeHtml(text)}</pre>`) +
    (isBusy === true ? '<p role="status">We are working on it. This page looks again in a moment.</p>' : '') +
    `${forms.map(formHtml).join('')}</main></body></html>`
  )
}

function formHtml({ label, hidden, fields, isQuiet }: LinkForm): string {
  const kept = Object.entries(hidden).map(([name, value]) => {
    return `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`
  })
  const button = `<button type="submit"${isQuiet === true ? ' class="quiet"' : ''}>${escapeHtml(label)}</button>`
  return `<form method="post">${kept.join('')}${fields.map(fieldHtml).join('')}${button}</form>`
}

function fieldHtml(field: EventField): string {
  const { label, description } = field
  const help = description === undefined ? '' : `<small>${escapeHtml(description)}</small>`
  const control = controlHtml(field)
  const text = `${escapeHtml(label)}${field.required ? '' : ' (optional)'}`
  return `<label>${field.kind === 'boolean' ? `${control} ${text}` : `${text}${control}`}${help}</label>`
}

function controlHtml({ name, kind, required, choices = [] }: EventField): string {
  const attributes = `name="${escapeHtml(fieldName(name))}"${required && kind !== 'boolean' ? ' required' : ''}`
  switch (kind) {
    case 'number':
      return `<input type="number" step="any" ${attributes}>`
    case 'integer':
      return `<input type="number" step="1" ${attributes}>`
    case 'boolean':
      return `<input type="checkbox" ${attributes}>`
    case 'choice': {
      const none = required ? [] : ['<option value=""></option>']
      const options = choices.map((choice) => `<option>${escapeHtml(String(choice))}</option>`)
      return `<select ${attributes}>${[...none, ...options].join('')}</select>`
    }
    case 'json':
      return `<textarea rows="4" ${attributes}></textarea>`
    default:
      return `<input type="text" ${attributes}>`
  }
}
