import { BEACH_EXTENSION_URI } from '@cool-ai/beach-protocol/agent-card'

/** When a card was generated, and its agent's version: as long as both stay the same, so does the card. */
export function cardStamp(text: string): string | undefined {
  const card = parse(text)
  const generatedAt = stringOf(card.generatedAt) ?? stringOf(beachParams(card).generatedAt)
  const version = stringOf(card.version)
  return generatedAt === undefined || version === undefined ? undefined : JSON.stringify([generatedAt, version])
}

type Members = Readonly<Record<string, unknown>>

function beachParams(card: Members): Members {
  const { extensions } = members(card.capabilities)
  const list: unknown[] = Array.isArray(extensions) ? extensions : []
  return members(list.map(members).find(({ uri }) => uri === BEACH_EXTENSION_URI)?.params)
}

function parse(text: string): Members {
  try {
    return members(JSON.parse(text))
  } catch {
    return {}
  }
}

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
