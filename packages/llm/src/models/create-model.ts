import { BeachError } from '@cool-ai/beach-core'
import type { Model } from './model.ts'
import { EndlessMessage } from './stream-limits.ts'

interface ProviderPackage {
  readonly name: string
  readonly factory: string
  readonly settings?: Readonly<Record<string, unknown>>
  /** A setting that the package cannot do without, and does not ask for by itself. */
  readonly needs?: string
}

/** The provider packages that an id's first word stands for; each is installed by the application. */
const providers: Readonly<Record<string, ProviderPackage>> = {
  anthropic: { name: '@ai-sdk/anthropic', factory: 'createAnthropic' },
  openai: { name: '@ai-sdk/openai', factory: 'createOpenAI' },
  'openai-compatible': {
    name: '@ai-sdk/openai-compatible',
    factory: 'createOpenAICompatible',
    // Such servers count tokens in a stream only when they are asked to.
    settings: { name: 'openai-compatible', includeUsage: true },
    needs: 'baseURL',
  },
  google: { name: '@ai-sdk/google', factory: 'createGoogleGenerativeAI' },
  mistral: { name: '@ai-sdk/mistral', factory: 'createMistral' },
  groq: { name: '@ai-sdk/groq', factory: 'createGroq' },
  xai: { name: '@ai-sdk/xai', factory: 'createXai' },
  'amazon-bedrock': { name: '@ai-sdk/amazon-bedrock', factory: 'createAmazonBedrock' },
}

/** Finds a package; a test gives its own. */
export type ImportPackage = (name: string) => Promise<Readonly<Record<string, unknown>>>

const importPackage: ImportPackage = (name) => import(name) as Promise<Readonly<Record<string, unknown>>>

/**
 * The model of an id such as `anthropic/claude-opus-4-5`. The settings go to the provider package (`apiKey`, `baseURL`,
 * `headers`, …); without a key it reads its own environment variable.
 */
export async function createModel(
  id: string,
  settings: Readonly<Record<string, unknown>> = {},
  load: ImportPackage = importPackage,
): Promise<Model> {
  const slash = id.indexOf('/')
  const provider = id.slice(0, slash)
  const entry = Object.hasOwn(providers, provider) ? providers[provider] : undefined
  if (slash < 1 || slash === id.length - 1 || entry === undefined) {
    const known = Object.keys(providers).join(', ')
    throw new BeachError(
      'INVALID_CONFIGURATION',
      `'${id}' is not a model's id. Write provider/model, with one of these providers: ${known}.`,
    )
  }
  if (entry.needs !== undefined && settings[entry.needs] === undefined) {
    throw new BeachError('INVALID_CONFIGURATION', `The model '${id}' needs the setting ${entry.needs}.`)
  }
  const make = (await loaded(entry.name, load))[entry.factory]
  if (typeof make !== 'function') {
    throw new BeachError('INVALID_CONFIGURATION', `${entry.name} has no ${entry.factory}; install a current version.`)
  }
  const given = settings.fetch as typeof globalThis.fetch | undefined
  const build = make({ ...entry.settings, ...settings, fetch: boundedFetch(given) }) as (model: string) => Model
  return build(id.slice(slash + 1))
}

async function loaded(name: string, load: ImportPackage): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await load(name)
  } catch (cause) {
    throw new BeachError('INVALID_CONFIGURATION', `This model needs the package ${name}. Run: npm install ${name}`, {
      cause,
    })
  }
}

// What carries a message is many times as long as the message.
const maxAnswerBytes = 64_000_000

type Fetch = typeof globalThis.fetch

/** Fetch for providers: an answer that does not end is broken off before its pieces fill the memory. */
export function boundedFetch(fetch?: Fetch, maxBytes = maxAnswerBytes): Fetch {
  return async (...args) => {
    const response = await (fetch ?? globalThis.fetch)(...args)
    const { body, status, statusText, headers } = response
    return body === null ? response : new Response(body.pipeThrough(counted(maxBytes)), { status, statusText, headers })
  }
}

function counted(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes <= maxBytes) controller.enqueue(chunk)
      else controller.error(new EndlessMessage(`The provider's answer is larger than ${maxBytes} bytes.`))
    },
  })
}
