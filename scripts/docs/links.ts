/** A Markdown text with the links and pictures that `to` makes of its own, outside of code. */
export function withLinks(text: string, to: (link: string) => string): string {
  const blocks = text.split(/^(```[\s\S]*?^```)/m)
  return blocks
    .map((block) => {
      if (block.startsWith('```')) return block
      const linked = block.replaceAll(/\]\(([^)\s]+)\)/g, (_, link: string) => `](${to(link)})`)
      return linked.replaceAll(/(?<=<img src=")([^"]+)(?=")/g, (link) => to(link))
    })
    .join('')
}
