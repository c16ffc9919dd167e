import type { Part } from '@cool-ai/beach-core'
import { describe, expect, test } from 'vitest'
import { dataFiles } from './data-files.ts'
import { markdownHtml } from './markdown-html.ts'
import { sniffType } from './take-attachments.ts'

describe('Markdown in a mail', () => {
  test('has its styles with it', () => {
    expect(markdownHtml('# Hi\n\n- **a**\n\n| x |\n|---|\n| y |')).toMatchInlineSnapshot(`
      "<h1 style="font-size:22px;line-height:1.25;margin:16px 0 8px">Hi</h1>
      <ul style="margin:0 0 12px;padding-left:22px">
      <li style="margin:0 0 4px"><strong>a</strong></li>
      </ul>
      <table style="border-collapse:collapse;margin:0 0 12px">
      <thead>
      <tr>
      <th style="padding:6px 12px 6px 0;text-align:left;vertical-align:top;border-bottom:1px solid #e4e0d6">x</th>
      </tr>
      </thead>
      <tbody>
      <tr>
      <td style="padding:6px 12px 6px 0;text-align:left;vertical-align:top">y</td>
      </tr>
      </tbody>
      </table>
      "
    `)
  })

  test.each([
    '<img src=x onerror=alert(1)>',
    '<script>alert(1)</script>',
    '[x](javascript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '![x](javascript:alert(1))',
    '[x](vbscript:y)',
    '[x](JaVaScRiPt:alert(1))',
    '<a href="https://x" onclick="y">z</a>',
    '[x](https://e.example/"onmouseover="alert(1))',
  ])('runs nothing: %s', (text) => {
    const html = markdownHtml(text)
    expect(html).not.toMatch(/<(?:img|script|svg)/i)
    expect(html).not.toMatch(/(?:href|src)="(?!https?:|mailto:)/i)
    expect(html).not.toMatch(/<[^>]+\son\w+=/i)
  })

  test('loads no pictures', () => {
    expect(markdownHtml('![seen](https://tracker.example/p.gif)')).toContain(
      '<a class="beach-link" style="color:#0c6484" href="https://tracker',
    )
  })
})

describe('data as files', () => {
  const part = (data: unknown, kind?: string): Part => ({
    data,
    metadata: { partType: 'domain-data', ...(kind !== undefined && { kind }) },
  })
  const flights = [
    { flight: 'BA 2043', price: 187, note: 'say "hi", you' },
    { flight: 'EJ 1', price: 94, extra: { stops: 0 } },
  ]

  test('as JSON are what they are', async () => {
    const [file] = dataFiles([part({ flights }, 'flight-results')], 'json')
    expect(file?.filename).toBe('flight-results.json')
    expect(JSON.parse(String(await file?.content()))).toEqual({ flights })
  })

  test('as CSV are a file for each list', async () => {
    const files = dataFiles([part({ flights, note: 'x' }, 'flight-results')], 'csv')
    expect(files.map(({ filename }) => filename)).toEqual(['flight-results-flights.csv'])
    expect(String(await files[0]?.content())).toBe(
      '\uFEFFflight,price,note,extra\r\nBA 2043,187,"say ""hi"", you",\r\nEJ 1,94,,"{""stops"":0}"\r\n',
    )
  })

  test('run nothing in a spreadsheet', async () => {
    const [file] = dataFiles([part([{ a: '=HYPERLINK("x")', b: '@x', c: '+1', d: -1 }])], 'csv')
    expect(String(await file?.content()).split('\r\n')[1]).toBe(`"'=HYPERLINK(""x"")",'@x,'+1,-1`)
  })

  test('have names that are only names', () => {
    expect(dataFiles([part({ a: 1 }, '../../etc/passwd\r\nX: y')], 'json')[0]?.filename).toBe('etc-passwd-X-y.json')
  })
})

describe('what a file is', () => {
  test.each([
    ['%PDF-1.7', 'text/plain', 'application/pdf'],
    ['hello', 'application/pdf', 'application/octet-stream'],
    ['MZ\u0090', 'image/png', 'application/x-dosexec'],
    ['<html>', 'text/plain', 'text/html'],
    ['  <svg onload=x>', 'image/svg+xml', 'text/html'],
    ['a,b', 'text/csv', 'text/csv'],
    ['PK\u0003\u0004', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', undefined],
    ['PK\u0003\u0004', 'application/pdf', 'application/zip'],
  ])('%j, said to be %s', (bytes, declared, type) => {
    expect(sniffType(Buffer.from(bytes, 'latin1'), declared)).toBe(type ?? declared)
  })
})
