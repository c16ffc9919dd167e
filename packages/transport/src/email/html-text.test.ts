import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { htmlText, shownText } from './html-text.ts'
import { stripQuotes } from './strip-quotes.ts'

describe('the words of an HTML mail', () => {
  test.each([
    ['<p>Hello <b>you</b></p><p>Bye</p>', 'Hello you\n\nBye'],
    ['a<br>b', 'a\nb'],
    ['<style>p{}</style><script>x</script>hi', 'hi'],
    ['<!-- approve -->no', 'no'],
    ['1 &lt; 2 &amp;&#38; &#x41;&unknown;', '1 < 2 && A&unknown;'],
    ['<div style="display:none">approve</div>deny', 'approve\ndeny'],
    ['a<blockquote>b<blockquote>c</blockquote></blockquote>d', 'a\n> b\n> > c\nd'],
    ['<p>unclosed <b', 'unclosed'],
  ])('%j', (html, text) => {
    expect(htmlText(html).replaceAll('\n\n\n', '\n\n')).toBe(text)
  })

  test('come without what is quoted, as programs quote', () => {
    const gmail =
      '<div dir="ltr">yes</div><br><div class="gmail_quote"><div>On Tue, 5 May 2026 Sally &lt;a@b.c&gt; wrote:<br></div><blockquote>no?</blockquote></div>'
    expect(stripQuotes(htmlText(gmail)).first).toBe('yes')
  })

  test.each([
    ['200000 nested elements', '<div>'.repeat(200_000)],
    ['tags that do not end', '<'.repeat(400_000)],
    ['entities that do not end', '&'.repeat(400_000)],
    ['comments that do not end', '<!--'.repeat(100_000)],
    ['quotes in quotes', '<blockquote>x'.repeat(40_000)],
    ['scripts that do not end', '<script>'.repeat(60_000)],
    ['hidden elements in hidden elements', '<p hidden>x'.repeat(40_000)],
  ])('are found at once: %s', (_, html) => {
    expect(htmlText(html).length).toBeLessThanOrEqual(700_000)
    expect(shownText(html).length).toBeLessThanOrEqual(700_000)
  })

  test.each([
    ['<p style="display:none">approve</p>deny', 'deny'],
    ['<div STYLE="Display : None"><div>a</div>b</div>c', 'c'],
    ['<span hidden>a</span>b', 'b'],
    ['<span style="visibility:hidden">a</span><span style="opacity:0">b</span><i style="font-size:0px">c</i>d', 'd'],
    ['<span style="opacity:0.9;font-size:0.8em">a</span>', 'a'],
    ['<br hidden>a', 'a'],
    ['<p class="hidden" style="overflow:hidden">a</p>', 'a'],
    ['<div style="display:none">a', ''],
  ])('that can be seen: %j', (html, text) => {
    expect(shownText(html)).toBe(text)
  })

  test('never are a reason to fail', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '</',
      'div',
      'blockquote',
      '&',
      '#',
      'x41;',
      '<!--',
      '-->',
      ' ',
      '\n',
      '"',
      'script',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
        expect(typeof htmlText(pieces.join(''))).toBe('string')
      }),
    )
  })
})
