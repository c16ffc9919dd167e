const secretName = /authorization|cookie|password|passphrase|secret|api[-_]?key|credential|(?:^|[-_a-z])token$/i
const leftOut = '[left out]'
const maxDepth = 40

/** A value of the log as operators see it: without what is needed to act in a person's or a channel's name. */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.includes('":') ? redactedText(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '…'
  if (Array.isArray(value)) return value.map((item) => redacted(item, depth + 1))
  const isOriginator = 'transport' in value && 'deliveryClass' in value
  const result: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    if (isOriginator && name === 'details') result[name] = leftOut
    else if (isOriginator && name === 'address') result[name] = withoutQuery(item)
    else
      result[name] = secretName.test(name) && item !== null && item !== undefined ? leftOut : redacted(item, depth + 1)
  }
  return result
}

/** Addresses of callbacks may have a secret in their query. */
function withoutQuery(address: unknown): unknown {
  if (typeof address !== 'string' || !/^https?:/.test(address) || !URL.canParse(address)) return address
  const url = new URL(address)
  return url.origin + url.pathname
}

// A member of JSON whose value is a text: in prompts, results of tools are texts with JSON in them.
const member = /"((?:[^"\\]|\\.){1,100})"(\s*:\s*)"(?:[^"\\]|\\.)*"/g

function redactedText(text: string): string {
  return text.replaceAll(member, (found, name: string, colon: string) => {
    return secretName.test(name) ? `"${name}"${colon}"${leftOut}"` : found
  })
}
