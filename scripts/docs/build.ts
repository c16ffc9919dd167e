import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../release/workspaces.ts'
import { assembledPages, groupsOf, writePages } from './assemble.ts'
import { withDeliveryTable } from './delivery-table.ts'
import { llmsFiles } from './llms.ts'
import { writeSchemas } from './published-schemas.ts'
import { shippedPages } from './shipped-pages.ts'

/*
 * Builds the documentation site into `build/docs`: `npm run docs`. The pages are assembled in `build/docs-pages`, where
 * VitePress takes them from; it fails on links that lead nowhere. Each page of the site has its Markdown next to it. What users and their models read goes into the package
 * `@cool-ai/beach` too, as `dist/docs`. `-- --pages` ends before VitePress.
 */
const delivery = join(root, 'docs/explanation/delivery.md')
writeFileSync(delivery, withDeliveryTable(readFileSync(delivery, 'utf8')))
const pages = await assembledPages()
const folder = join(root, 'build/docs-pages')
writePages(pages, folder)
cpSync(join(root, 'docs/screenshots'), join(folder, 'screenshots'), { recursive: true })
writeSchemas(join(folder, 'public/schemas'))
const groups = groupsOf(pages)
writeFileSync(
  join(folder, 'groups.json'),
  JSON.stringify(
    groups.map(({ title, pages: own }) => ({ title, pages: own.map(({ place, title: text }) => ({ place, text })) })),
  ),
)
for (const [name, text] of llmsFiles(groups)) writeFileSync(join(folder, 'public', name), text)
const shipped = join(root, 'packages/beach/dist/docs')
const own = shippedPages(pages)
writePages(own, shipped)
writeSchemas(join(shipped, 'schemas'))
for (const [name, text] of llmsFiles(groupsOf(own))) if (name === 'llms.txt') writeFileSync(join(shipped, name), text)
console.log(`docs: ${pages.length} pages`)
if (!process.argv.includes('--pages')) {
  const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js')
  const { status } = spawnSync(process.execPath, [vitepress, 'build', 'docs'], { cwd: root, stdio: 'inherit' })
  process.exitCode = status ?? 1
  // Next to each page its Markdown: that is what `llms.txt` lists.
  for (const { place } of pages) cpSync(join(folder, `${place}.md`), join(root, 'build/docs', `${place}.md`))
}
