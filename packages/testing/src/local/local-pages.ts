import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { BeachError, type Channel } from '@cool-ai/beach-core'
import { liveLists } from './live-lists.ts'

/** A person on this machine, who writes to the agent and reads what it sends. */
export interface LocalPerson {
  readonly name: string
  readonly address: string
}

/** A channel with a page for the people of this machine. */
export interface LocalChannel extends Channel {
  /** Where the page is, for the person who starts the agent; `url` is where the agent listens. */
  readonly localPage: (url: string) => { readonly label: string; readonly url: string }
}

/** What a page of local people shows and takes. */
export interface LocalPage {
  readonly path: '/local/mailbox' | '/local/phone'
  readonly label: string
  /** What comes by itself stands in elements of the class `live`, each child with an id; the browser looks for more. */
  readonly show: (origin: string) => Promise<string>
  /** Takes a form; a BeachError is shown above the page. */
  readonly take: (form: URLSearchParams, origin: string) => Promise<void>
}

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; connect-src 'self'; " +
    `script-src 'sha256-${createHash('sha256').update(liveLists).digest('base64')}'`,
  'cache-control': 'no-store',
  // Not `no-referrer`: browsers then send a form with the origin `null`, which is refused.
  'referrer-policy': 'same-origin',
}
const maxFormBytes = 100_000

/**
 * A page for the people of this machine. Only a browser that has opened the link of the start gets it: who reads the
 * mailbox can decide approvals.
 */
export function localPage({ path, label, show, take }: LocalPage) {
  const key = randomBytes(24).toString('base64url')
  const cookie = `beach_local_${digest(key).toString('hex').slice(0, 8)}`
  const isKey = (given: string | null | undefined) =>
    typeof given === 'string' && timingSafeEqual(digest(given), digest(key))
  const page = async (origin: string, problem?: string) =>
    new Response(await document(label, await show(origin), problem), {
      headers,
      status: problem === undefined ? 200 : 422,
    })
  return {
    link: (url: string) => ({ label, url: `${new URL(path, url).href}?key=${key}` }),
    async fetch(request: Request): Promise<Response> {
      const url = new URL(request.url)
      if (process.env.NODE_ENV === 'production') throw new BeachError('NOT_FOUND', `There is nothing at ${path}.`)
      // A page of another origin that the agent lists may read the agent's answers, and a browser sends it this cookie.
      const origin = request.headers.get('origin')
      if (origin !== null && origin !== url.origin) {
        throw new BeachError('FORBIDDEN', 'These pages answer to no page of another origin.')
      }
      if (request.method === 'GET' && isKey(url.searchParams.get('key'))) {
        const set = `${cookie}=${key}; Path=/local; HttpOnly; SameSite=Strict`
        return new Response(null, {
          status: 303,
          headers: { location: path, 'set-cookie': set, 'cache-control': 'no-store' },
        })
      }
      const given = new RegExp(`(?:^|;\\s*)${cookie}=([^;]+)`).exec(request.headers.get('cookie') ?? '')?.[1]
      if (!isKey(given)) throw new BeachError('FORBIDDEN', 'Open the link that the start of the agent has printed.')
      if (request.method !== 'POST') return page(url.origin)
      try {
        await take(new URLSearchParams(await bodyOf(request)), url.origin)
      } catch (error) {
        if (error instanceof BeachError) return page(url.origin, error.message)
        throw error
      }
      return new Response(null, { status: 303, headers: { location: path } })
    },
  }
}

async function bodyOf(request: Request): Promise<string> {
  const text = await request.text()
  if (text.length > maxFormBytes) throw new BeachError('TOO_LARGE', 'This is too long.')
  return text
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** A text with its addresses as links. */
export function linked(text: string): string {
  return escaped(text).replaceAll(/https?:\/\/[^\s<>]+/g, (url) => `<a href="${url}" rel="noreferrer">${url}</a>`)
}

// The look of the agents' own pages without scripts, such as the inbox.
const style = `:root{color-scheme:light dark;font:1rem/1.6 system-ui,-apple-system,'Segoe UI',sans-serif}
body{max-width:44rem;margin:0 auto;padding:1.5rem 1rem 3rem;background:light-dark(#faf9f6,#11151a);color:light-dark(#1b2430,#e8ebee)}
article,body>form:has(h2){margin:1rem 0;padding:.9rem 1.1rem;border:1px solid light-dark(#e4e0d6,#2b343e);border-radius:.9rem;background:light-dark(#fff,#1c232b)}
article.mine{margin-left:2rem;background:light-dark(#e2eff6,#172f3b)}
h1,h2{margin:0 0 .3rem;line-height:1.3;font-size:1.25rem;overflow-wrap:anywhere}h2{font-size:1.08rem}
small{color:light-dark(#565f6b,#a3aebb);overflow-wrap:anywhere}pre{margin:.6rem 0;white-space:pre-wrap;font:inherit;overflow-wrap:anywhere}
label{display:block;margin-top:.6rem;font-size:.9rem}summary,a{color:light-dark(#0c6484,#74c5e3)}summary{cursor:pointer}
textarea,input,select{box-sizing:border-box;width:100%;margin-top:.2rem;padding:.55rem .7rem;border:1px solid light-dark(#8a8f96,#75808c);border-radius:.55rem;background:light-dark(#fff,#11151a);color:inherit;font:inherit}
button{min-height:2.5rem;margin:.5rem .5rem .25rem 0;padding:.4rem 1.2rem;border:1px solid light-dark(#8a8f96,#75808c);border-radius:1.3rem;background:none;color:inherit;font:inherit;font-weight:600;cursor:pointer}
[role=alert]{border-left:.25rem solid #c33;padding-left:.75rem}`

async function document(label: string, body: string, problem: string | undefined): Promise<string> {
  const alert = problem === undefined ? '' : `<p role="alert">${escaped(problem)}</p>`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(label)}</title><style>${style}</style><h1>${escaped(label)}</h1>${alert}${body}
<p role="status"></p><script>${liveLists}</script></html>`
}
