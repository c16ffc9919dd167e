import type { Page } from './assemble.ts'

/** `llms.txt`, which lists the pages for models, and `llms-full.txt`, which has all of them in order, without the decisions and the exports. */
export function llmsFiles(
  groups: readonly { readonly title: string; readonly pages: readonly Page[] }[],
): [string, string][] {
  const short = groups.flatMap(({ title, pages }) => [
    `## ${title}`,
    '',
    ...pages.map((page) => `- [${page.title}](${page.place}.md)`),
    '',
  ])
  const read = groups.filter(({ title }) => title !== 'Decisions' && title !== 'Exports').flatMap(({ pages }) => pages)
  const head =
    '# Beach\n\n> Agents that answer once and are understood everywhere: a TypeScript framework whose actors speak by typed parts, out of one durable session log, to browsers, agents, mailboxes and phones.\n\n'
  return [
    ['llms.txt', head + short.join('\n')],
    ['llms-full.txt', head + read.map(({ place, text }) => `<!-- ${place}.md -->\n\n${text}`).join('\n\n')],
  ]
}
