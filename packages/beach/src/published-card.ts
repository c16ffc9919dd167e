import { mergedCapabilities, requireAskedScopes } from '@cool-ai/beach-channel/auth'
import { BeachError, type Channel, type Inbound, type Principal } from '@cool-ai/beach-core'
import type { OpenApiPart } from '@cool-ai/beach-core/openapi'
import type { WellKnownAgentCard } from '@cool-ai/beach-protocol/agent-card'
import {
  buildAgentCard,
  type AgentCard,
  type AgentCardInput,
  type CardRegistries,
} from '@cool-ai/beach-protocol/authored-card'
import type { AgentSettings } from './agent-settings.ts'
import type { BeachCard } from './beach-options.ts'
import { cardOf, hasAddress } from './own-card.ts'
import { surfaceExtensions } from './surface-extensions.ts'

interface Published {
  readonly card: AgentCard
  readonly extended: AgentCard | undefined
}

/** The agent's settings, with what its card's names are looked up in. */
type CardSettings = AgentSettings & { readonly registries: Required<Pick<CardRegistries, 'partTypes' | 'turnStates'>> }

const wellKnown = '/.well-known/agent-card.json'

/** The agent's card, at `/.well-known/agent-card.json`. */
export class PublishedCard implements Pick<Channel, 'paths' | 'fetch' | 'openapi'> {
  readonly paths = [wellKnown]
  readonly input: AgentCardInput
  readonly #settings: CardSettings
  #published: Published
  /** Answers requests for the published card; made with the first. */
  #answer: WellKnownAgentCard | undefined
  #isPlaced: boolean
  /** The agent's address, as far as it is known. */
  #address: string | undefined

  private constructor(input: AgentCardInput, published: Published, settings: CardSettings) {
    this.input = input
    this.#published = published
    this.#settings = settings
    this.#isPlaced = hasAddress(settings)
    this.#address = settings.publicUrl
  }

  static async open(card: BeachCard, given: AgentSettings, registries: CardSettings['registries']) {
    const settings = { ...given, registries }
    const input = cardOf(card, settings)
    return new PublishedCard(input, await publish(input, settings), settings)
  }

  async openapi(): Promise<OpenApiPart> {
    const { cardOpenApi } = await import('./openapi/card-openapi.ts')
    return cardOpenApi(wellKnown)
  }

  card(): AgentCard {
    return this.#published.card
  }

  /** Where others find it; undefined until that is known. */
  get url(): string | undefined {
    return this.#address && `${this.#address.replace(/\/+$/, '')}${wellKnown}`
  }

  /** What authenticated callers get by A2A. */
  extended(): AgentCard | undefined {
    return this.#published.extended
  }

  /** Publishes the card where no other page does. */
  async listensOn(url: string): Promise<void> {
    const { card } = this.#settings
    this.#address ??= url
    if (this.#isPlaced || card === undefined) return
    this.#published = await publish(cardOf(card, this.#settings, url), this.#settings)
    this.#answer = undefined
    this.#isPlaced = true
  }

  async fetch(request: Request): Promise<Response> {
    if (!this.#isPlaced) {
      throw new BeachError(
        'INVALID_CONFIGURATION',
        'A card needs to say where the agent is. Give createBeach a publicUrl, or let the agent listen.',
      )
    }
    if (this.#answer === undefined) {
      // With the A2A SDK, which an agent does without until a caller asks for its card.
      const { wellKnownAgentCard } = await import('@cool-ai/beach-protocol/agent-card')
      this.#answer ??= wellKnownAgentCard(this.#published.card)
    }
    return this.#answer(request) ?? new Response(null, { status: 404 })
  }

  /** A capability that is asked for by its name needs the scopes that the cards name, on every channel. */
  get authorise(): ((inbound: Inbound, by: Principal) => void) | undefined {
    const { extendedCard } = a2aOf(this.#settings) ?? {}
    const capabilities = mergedCapabilities([this.input, ...(extendedCard ? [extendedCard] : [])])
    const guarded = capabilities.filter(({ requiredScopes }) => requiredScopes.length > 0)
    return guarded.length === 0 ? undefined : ({ parts }, by) => requireAskedScopes(guarded, { parts }, by)
  }
}

async function publish(input: AgentCardInput, settings: CardSettings): Promise<Published> {
  const { clock } = settings.runtime
  const { partTypes, turnStates } = settings.registries
  const a2a = a2aOf(settings)
  const { extendedCard, inputModes, outputModes, streaming = true, push, signer } = a2a ?? {}
  const spoken = a2a && {
    streaming,
    pushNotifications: push !== false,
    extendedAgentCard: extendedCard !== undefined,
    defaultInputModes: inputModes,
    defaultOutputModes: outputModes,
  }
  const build = async (authored: AgentCardInput) => {
    const built = buildAgentCard(authored, {
      clock,
      registries: { partTypes, turnStates },
      a2a: spoken && { ...spoken, extensions: surfaceExtensions(authored, settings) },
    })
    if (signer === undefined) return built
    const { signAgentCard } = await import('@cool-ai/beach-protocol/agent-card')
    return signAgentCard(built, signer)
  }
  const card = await build(input)
  const extended = extendedCard && (await build({ transports: input.transports, ...extendedCard }))
  return { card, extended }
}

/** How the agent speaks A2A; undefined when it does not. */
function a2aOf({ a2a = {} }: AgentSettings) {
  return a2a === false ? undefined : a2a
}
