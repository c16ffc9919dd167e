/** What a resource of an agent is. */
export type ResourceAddress =
  | { readonly kind: 'conversation'; readonly conversationId: string }
  | { readonly kind: 'artifact'; readonly conversationId: string; readonly artifactId: string }

const shape = /^beach:\/\/([^/]+)\/conversations\/([^/]+)(?:\/artifacts\/([^/]+))?$/

/** The URIs of an agent's resources: its conversations, and the artifacts of each. */
export class ResourceUris {
  readonly #agentId: string

  constructor(agentId: string) {
    this.#agentId = encodeURIComponent(agentId)
  }

  /** True for a URI of this agent, whether there is something behind it or not. */
  isOwn(uri: string): boolean {
    return uri.startsWith(`beach://${this.#agentId}/`)
  }

  conversation(conversationId: string): string {
    return `beach://${this.#agentId}/conversations/${encodeURIComponent(conversationId)}`
  }

  artifact(conversationId: string, artifactId: string): string {
    return `${this.conversation(conversationId)}/artifacts/${encodeURIComponent(artifactId)}`
  }

  surface(conversationId: string, turnId: string, index: number): string {
    return `${this.conversation(conversationId)}/surfaces/${encodeURIComponent(turnId)}-${index}`
  }

  /** Templates of RFC 6570 for what is not listed. */
  get templates(): { readonly conversation: string; readonly artifact: string } {
    const conversation = `beach://${this.#agentId}/conversations/{conversationId}`
    return { conversation, artifact: `${conversation}/artifacts/{artifactId}` }
  }

  parse(uri: string): ResourceAddress | undefined {
    const [, agent, conversation, artifact] = shape.exec(uri) ?? []
    if (agent !== this.#agentId || conversation === undefined) return undefined
    try {
      const conversationId = decodeURIComponent(conversation)
      if (artifact === undefined) return { kind: 'conversation', conversationId }
      return { kind: 'artifact', conversationId, artifactId: decodeURIComponent(artifact) }
    } catch {
      return undefined
    }
  }
}
