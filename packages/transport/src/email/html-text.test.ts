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
    ['comments', '<!---->'.repeat(57_000)],
    ['letters that go on', '<b>'.repeat(290) + '<p></p>'.repeat(50_000)],
    ['attributes that do not end', '<p a="'.repeat(60_000)],
    ['selectors that do not end', `<style>${'['.repeat(90_000)}{a:b}</style>`],
    ['rules', `<style>${'a{b:c}'.repeat(15_000)}</style>${'<p class=x>'.repeat(30_000)}`],
    ['styles', '<p style="a:b;c:d">'.repeat(20_000)],
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
    ['<style>.x{display:none}</style><p class="x">a</p>b', 'b'],
    ['<style>@media screen{ td.y, #z { visibility : hidden }}</style><p id="z">a</p>b', 'b'],
    ['<style>p{color:black}</style><p>a</p>', 'a'],
    ['<style>p.z{color:#fff!important}</style><p class="z" style="color:black">a</p>b', 'b'],
    ['<p style="d\\69splay:/**/none">a</p>b', 'b'],
    ['<p style="display&#58;none">a</p>b', 'b'],
    ['<p style="color:#fff">a</p>b', 'b'],
    ['<font color="white">a</font>b', 'b'],
    ['<p style="color:rgb(254, 254, 254)">a</p><p style="color:hsl(0 0% 99%)">b</p>c', 'c'],
    ['<p style="color:rgba(0,0,0,.02)">a</p>b', 'b'],
    ['<table bgcolor="#000"><tr><td><font color="#fff">a</font></td></tr></table>', 'a'],
    ['<div style="background:#123"><p style="color:#124">a</p></div>b', 'b'],
    ['<p style="color:windowtext">a</p><p style="color:red">b</p>', 'a\n\nb'],
    ['<p style="font-size:1px">a</p><p style="font:0/0 x">b</p><p style="font-size:2%">c</p>d', 'd'],
    ['<td style="font-size:0"><div style="font-size:14px">a</div>b</td>', 'a'],
    ['<div style="font-size:0"><p style="font-size:12px">a<div>b</div></div>c', 'a\n\nc'],
    ['<p style="position:absolute;left:-9999px">a</p><p style="text-indent:-9999px">b</p>c', 'c'],
    ['<p style="height:0;overflow:hidden">a</p><p style="max-height:0">b</p>c', 'c'],
    ['<p style="clip-path:inset(100%)">a</p><p style="transform:scale(0)">b</p>c', 'c'],
    ['<p style="line-height:1.5;overflow:auto">a</p>', 'a'],
    ['<title>a</title><template>b</template><!-- c --><!--> d', 'd'],
    ['<p title="> a">b</p>', 'b'],
    ['<div hidden><table><tr><td></div>a</td></tr></table></div>b', 'b'],
    ['<p><b style="display:none"></p>a', ''],
    ['<details>a</details><dialog>b</dialog><select><option>c</select>d', 'd'],
    ['<textarea>a</textarea><iframe>b</iframe><noscript>c</noscript>d', 'd'],
    ['<p style="opacity:.3"><span style="opacity:.3">a</span></p>b', 'b'],
    ['<p style="font-size:calc(1px - 1px)">a</p><p style="color:var(--x)">b</p>c', 'c'],
    ['<p style="unicode-bidi:bidi-override;direction:rtl">a</p>b', 'b'],
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
