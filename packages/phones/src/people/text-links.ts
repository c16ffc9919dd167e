import { type FileReader, findFile, isWebLink } from '@cool-ai/beach-channel/people'
import { errorResponse } from '@cool-ai/beach-channel/http'
import { plainPage } from '@cool-ai/beach-channel/pages'
import { BeachError, type ArtifactStore, type ChannelContext } from '@cool-ai/beach-core'
import { escapeHtml, isOver } from '@cool-ai/beach-core/runtime'

/** The path of a text that was too long for a phone. It is short, because each character of a message costs money. */
export const textLinkPath = '/l/:code'

const prefix = 'text-link:'
const validMs = 24 * 60 * 60 * 1_000

type TextLinksOptions = Pick<ChannelContext, 'agent' | 'store' | 'runtime' | 'publicUrl' | 'artifacts' | 'artifactLink'>

/** What a short link leads to; the text is a file of its session, and is erased with it. */
interface LinkedText extends Pick<FileReader, 'to' | 'session'> {
  readonly artifactId: string
  readonly at: number
}

/** Short links to texts that are too long to be sent, each good for a day. */
export class TextLinks {
  readonly #options: TextLinksOptions

  constructor(options: TextLinksOptions) {
    this.#options = options
  }

  /** A link to the text, which is stored for it; undefined where nothing can be linked to. */
  async link(text: string, { to, session }: FileReader): Promise<string | undefined> {
    const { artifacts, artifactLink, publicUrl, store, runtime } = this.#options
    if (artifacts === undefined || artifactLink === undefined) return undefined
    const { tenant } = to.principal
    const about = { name: 'answer.txt', mimeType: 'text/plain', tenant, session }
    const { artifactId } = await artifacts.put(new TextEncoder().encode(text), about)
    const long = await artifactLink(artifactId, session, to.principal)
    if (!isWebLink(long)) return undefined
    if (publicUrl === undefined) return long
    const code = runtime.id('link').slice('link_'.length)
    const reader = { id: to.id, transport: to.transport, deliveryClass: to.deliveryClass, principal: to.principal }
    const linked: LinkedText = { artifactId, session, to: reader, at: runtime.clock.now() }
    await store.bind(prefix + code, JSON.stringify(linked))
    return `${publicUrl.replace(/\/+$/, '')}${textLinkPath.replace(':code', code)}`
  }

  /** The page behind a link; undefined for a request to somewhere else. */
  async answer(request: Request): Promise<Response | undefined> {
    const code = /\/l\/([a-z2-9]{26})$/.exec(new URL(request.url).pathname)?.[1]
    if (code === undefined) return /\/l\/[^/]*$/.test(new URL(request.url).pathname) ? this.#gone() : undefined
    try {
      return await this.#page(code, request.method)
    } catch (error) {
      return errorResponse(error, this.#options.runtime)
    }
  }

  async #page(code: string, method: string): Promise<Response> {
    if (method !== 'GET' && method !== 'HEAD') {
      throw new BeachError('METHOD_NOT_ALLOWED', 'Use GET here.', { details: { allow: 'GET' } })
    }
    const { store, runtime, artifacts, agent } = this.#options
    const [found] = await store.list(prefix + code, undefined, 1)
    const linked = found?.key === prefix + code ? (JSON.parse(found.value) as LinkedText) : undefined
    if (linked === undefined) return this.#gone()
    if (isOver({ since: linked.at, until: linked.at + validMs }, runtime.clock.now())) return this.#gone()
    const text = await textOf(artifacts, linked)
    if (text === undefined) return this.#gone()
    const paragraphs = text.split(/\n{2,}/).map((lines) => `<p>${escapeHtml(lines).replaceAll('\n', '<br>')}</p>`)
    return plainPage({ from: agent.name, title: 'The whole message', body: paragraphs.join('') })
  }

  #gone(): Response {
    const body = '<p>This link is not valid any more. Ask again where you got it.</p>'
    return plainPage({ status: 404, from: this.#options.agent.name, title: 'There is nothing here', body })
  }
}

async function textOf(artifacts: ArtifactStore | undefined, linked: LinkedText): Promise<string | undefined> {
  const stored = await findFile(artifacts, linked.artifactId, linked)
  if (stored === undefined) return undefined
  return new Response(stored.open() as ReadableStream<Uint8Array<ArrayBuffer>>).text()
}
