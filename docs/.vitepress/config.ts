import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

interface Group {
  readonly title: string
  readonly pages: readonly { readonly place: string; readonly text: string }[]
}

// Made by scripts/docs/build.ts, which calls VitePress.
const groups = JSON.parse(
  readFileSync(new URL('../../build/docs-pages/groups.json', import.meta.url), 'utf8'),
) as Group[]

export default defineConfig({
  title: 'Beach',
  description: 'Agents that answer once and are understood everywhere.',
  lang: 'en',
  srcDir: '../build/docs-pages',
  outDir: '../build/docs',
  cacheDir: '../build/vitepress-cache',
  vite: { esbuild: { tsconfigRaw: '{}' } },
  markdown: {
    html: false,
    // `{id}` in a heading is a path's parameter.
    attrs: { disable: true },
    // Pages are Vue templates: braces of the text are not expressions.
    config: (md) => {
      const text = md.renderer.rules.text
      md.renderer.rules.text = (...args) => (text?.(...args) ?? '').replaceAll('{{', '&#123;&#123;')
    },
  },
  themeConfig: {
    // Guides come before the reference, and both before the history of the project.
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          // A code such as `STORE_BUSY` is one word.
          options: { tokenize: (text: string) => text.split(/[^\p{L}\p{N}_]+/u) },
          searchOptions: {
            boostDocument: (id: string) => {
              if (/changelog|decisions/.test(id)) return 0.1
              if (/reference/.test(id)) return 0.3
              return /guides|errors|tutorial/.test(id) ? 1.5 : 1
            },
          },
        },
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'HTTP', link: '/http' },
      { text: 'Reference', link: '/reference/api' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: groups.map(({ title, pages }, index) => ({
      text: title,
      collapsed: index > 1,
      items: pages.map(({ place, text }) => ({ text, link: `/${place}` })),
    })),
    socialLinks: [{ icon: 'github', link: 'https://github.com/cool-ai/beach' }],
  },
})
