import { dirname, join } from 'node:path'
import { repository, type Page } from './assemble.ts'
import { withLinks } from './links.ts'

const isOfExports = /^reference\/(?!api$|http-api$|schemas$)/
const maxShippedLines = 3
const isOnlyForContributors = /^(decisions\/|index$|mutants$|contributing$|intentflow-checklist$)/

/**
 * The pages that the package `@cool-ai/beach` ships: what users and their models read. Links to other pages, and to
 * pictures, lead to the repository.
 */
export function shippedPages(pages: readonly Page[]): Page[] {
  const shipped = pages.filter(({ place }) => !isOnlyForContributors.test(place))
  const files = new Set(shipped.map(({ place }) => `${place}.md`))
  const sources = new Map(pages.map(({ place, source }) => [`${place}.md`, source]))
  return shipped.map((page) => {
    const to = (link: string): string => {
      if (/^([a-z]+:|#)/.test(link)) return link
      const [path = '', anchor] = link.split('#')
      const target = join(dirname(page.place), path)
      if (files.has(target)) return link
      const source = target.includes('screenshots/') ? `docs/${target}` : sources.get(target)
      if (source === undefined) throw new Error(`${page.place}: ${link} leads nowhere in the package.`)
      return `${repository}${source}${anchor === undefined ? '' : `#${anchor}`}`
    }
    const text = withLinks(page.text, to)
    return { ...page, text: isOfExports.test(page.place) ? withoutLongDeclarations(text) : text }
  })
}

/** Long declarations are in the types of the packages: a user need not install them twice. */
function withoutLongDeclarations(text: string): string {
  const blocks = text.split(/^```ts\n([\s\S]*?)^```\n\n/m)
  const kept = blocks.map((block, index) => {
    if (index % 2 === 0) return block
    return block.split('\n').length > maxShippedLines + 1 ? '' : `\`\`\`ts\n${block}\`\`\`\n\n`
  })
  const head = `Declarations of more than ${maxShippedLines} lines are in the types of the package, \`dist/**/*.d.ts\`.\n\n## `
  return kept.join('').replace('## ', head)
}
