const maxSuggestions = 4

/** Things to say first, by what the agent can do: the first example of each capability, then the second ones. */
export function suggestionsOf(
  capabilities: readonly { readonly examples?: readonly string[] | undefined }[],
): readonly string[] {
  const most = Math.max(0, ...capabilities.map(({ examples = [] }) => examples.length))
  const all = Array.from({ length: most }, (_, index) =>
    capabilities.flatMap(({ examples = [] }) => examples[index] ?? []),
  )
  return [...new Set(all.flat())].slice(0, maxSuggestions)
}
