import { createHash } from 'node:crypto'
import { escapeHtml } from '@cool-ai/beach-core/runtime'

// The look of the chat page, without its scripts: these pages work in any browser and mail program.
const style = `:root{color-scheme:light dark;font:1rem/1.6 system-ui,-apple-system,'Segoe UI',sans-serif;-webkit-text-size-adjust:100%}
body{max-width:40rem;margin:0 auto;padding:1.5rem 1rem 3rem;background:light-dark(#faf9f6,#11151a);color:light-dark(#1b2430,#e8ebee)}
header{margin-bottom:1rem;color:light-dark(#565f6b,#a3aebb);font-weight:650}
main{padding:1.2rem 1.3rem;border:1px solid light-dark(#e4e0d6,#2b343e);border-radius:.9rem;background:light-dark(#fff,#1c232b)}
main.ask{border:2px solid light-dark(#e6c184,#6b5322)}
h1,h2,h3{margin:0 0 .4rem;font-size:1.25rem;line-height:1.35;overflow-wrap:anywhere}
p{margin:.4rem 0}
.minor{color:light-dark(#565f6b,#a3aebb);font-size:.9rem}
dl{display:grid;grid-template-columns:minmax(6rem,auto) 1fr;gap:.25rem 1rem;margin:1rem 0}
dt{color:light-dark(#565f6b,#a3aebb)}
dd{margin:0;overflow-wrap:anywhere}
label{display:block;margin-top:1rem;font-size:.9rem}
input,select{box-sizing:border-box;width:100%;margin-top:.2rem;padding:.55rem .7rem;border:1px solid light-dark(#8a8f96,#75808c);border-radius:.55rem;background:light-dark(#fff,#11151a);color:inherit;font:inherit}
label.check{display:flex;gap:.5rem;align-items:baseline}
label.check input{flex:none;width:1.15rem;height:1.15rem;margin:0}
input[type=checkbox]{accent-color:light-dark(#0c6484,#74c5e3)}
details{margin-top:1rem;padding:.55rem .9rem;border:1px solid light-dark(#e4e0d6,#2b343e);border-radius:.55rem}
details[open]{padding-bottom:.9rem}
details label{margin-top:.7rem}
summary{cursor:pointer;font-size:.9rem;color:light-dark(#0c6484,#74c5e3)}
.choices{display:flex;flex-wrap:wrap;gap:.6rem;margin-top:1.2rem}
button{min-height:2.75rem;padding:.5rem 1.4rem;border:1px solid light-dark(#8a8f96,#75808c);border-radius:1.4rem;background:none;color:inherit;font:inherit;font-weight:600;cursor:pointer}
button.primary{border-color:transparent;background:light-dark(#0c6484,#74c5e3);color:light-dark(#fff,#08222d)}
a{color:light-dark(#0c6484,#74c5e3)}
ul{margin:.9rem 0 0;padding:0;list-style:none}
h2,h3{font-size:1.08rem}
.agent{margin:1.6rem 0 -.2rem;font-size:.9rem;color:light-dark(#565f6b,#a3aebb)}
.problem{margin-top:1.2rem;padding:.7rem .9rem;border-radius:.55rem;background:light-dark(#f4efe4,#262119)}
li+li{margin-top:1.2rem;padding-top:1.2rem;border-top:1px solid light-dark(#e4e0d6,#2b343e)}
@media (max-width:30rem){dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}.choices button{flex:1}}`
const styleHash = createHash('sha256').update(style).digest('base64')

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  // Not `no-referrer`: browsers then send a form with the origin `null`.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
}

/** A page without scripts. */
export interface PlainPage {
  readonly status?: number | undefined
  /** Who speaks: the agent's name. */
  readonly from: string
  /** Where the agent's own page is, for readers who have it. */
  readonly home?: string | undefined
  readonly title: string
  /** HTML, in which everything foreign is escaped. */
  readonly body: string
  /** True for a page that waits for an answer. */
  readonly isAsking?: boolean | undefined
}

/** The response for a page that any browser shows: light and dark, on phones too. It is neither kept, framed nor indexed. */
export function plainPage({ status = 200, from, home, title, body, isAsking = false }: PlainPage): Response {
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${style}</style></head><body>`,
    `<header>${home === undefined ? escapeHtml(from) : `<a href="${escapeHtml(home)}">${escapeHtml(from)}</a>`}</header><main${isAsking ? ' class="ask"' : ''}><h1>${escapeHtml(title)}</h1>${body}</main>`,
    '</body></html>',
  ]
  return new Response(html.join(''), { status, headers })
}

/** Names and their values, as HTML. */
export function factsHtml(facts: readonly { readonly label: string; readonly value: string }[]): string {
  if (facts.length === 0) return ''
  return `<dl>${facts.map(({ label, value }) => `<dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd>`).join('')}</dl>`
}
