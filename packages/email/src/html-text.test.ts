import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { htmlWords } from './html-text.ts'
import { stripQuotes } from './strip-quotes.ts'

const htmlText = (html: string) => htmlWords(html).all
const shownText = (html: string) => htmlWords(html).seen

const letters = Array.from({ length: 250 }, (_, index) => `<b id=${index}>`).join('')
const declarations = Array.from({ length: 50 }, (_, index) => `b${index}:c`).join(';')

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
    ['addresses that do not end', `<style>${'url('.repeat(24_000)}</style>x`],
    ['rules in rules', `<style>${'a{'.repeat(49_000)}</style>x`],
    ['letters that come again', `<p>${letters}</p>${'<p>x</p>'.repeat(45_000)}`],
    ['declarations', `<style>${`p{${declarations}}`.repeat(300)}</style>${'<p>x'.repeat(50_000)}`],
    ['numbers', `<p style="font:${'1'.repeat(390_000)}!">x`],
    ['spaces in a style', `<p style="a:${' '.repeat(390_000)}b">x`],
    ['strings that do not end', `<p style='${String.raw`\"`.repeat(190_000)}'>x`],
    ['styles', '<p style="a:b;c:d">'.repeat(20_000)],
  ])('are found at once: %s', (_, html) => {
    const { all, seen } = htmlWords(html)
    expect(all.length).toBeLessThanOrEqual(700_000)
    expect(seen.length).toBeLessThanOrEqual(700_000)
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
    ['<table><td style="font-size:0"><div style="font-size:14px">a</div>b</td></table>', 'a'],
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
    ['<textarea>a</textarea><iframe>b</iframe><noembed>c</noembed>d', 'd'],
    ['<p style="opacity:.3"><span style="opacity:.3">a</span></p>b', 'b'],
    ['<p style="font-size:calc(1px - 1px)">a</p><p style="color:var(--x)">b</p>c', 'c'],
    ['<p style="unicode-bidi:bidi-override;direction:rtl">a</p>b', 'b'],
  ])('that can be seen: %j', (html, text) => {
    expect(shownText(html)).toBe(text)
  })

  test.each([
    ['legacy entities', '&copy2026&nbsp&notit; &amp&AMP; &#65&#x80; &NotEqualTilde;<', '©2026 ¬it; && A€ ≂̸<'],
    ['an entity that hides', '<p style=display&colon;none>a</p><p hidd&#101;n>b</p>', 'b'],
    ['a CDATA section', '<![CDATA[a]]>b<svg><![CDATA[<p>c]]></svg>', 'b'],
    ['the end of a paragraph alone', '<div hidden></p>a</div>b</p>c', 'b\n\nc'],
    ['values without quotes', '<p title=a"b hidden>c</p><p title=d>e>f</p><p title="g>h', 'e>f'],
    ['ends of comments', '<!-- a --!>b<!-- c -- > d -->e<!--->f<!--x--!-->g', 'befg'],
    ['plain text', 'a<plaintext><p hidden>b</plaintext>', 'a<p hidden>b</plaintext>'],
    ['forms in forms', '<form hidden><form>a</form>b</form>c', 'bc'],
    ['tables in tables', '<table hidden><tr><td>a<table><tr><td>b</table>c</table>d', 'd'],
    ['words between cells', '<div hidden><table>a</table></div><table hidden><tr><td>b</td></tr>c</table>d', 'c\nd'],
    ['cells without a table', '<td hidden>a</td>b', 'ab'],
    ['a style sheet in a drawing', '<svg><style>p{display:none}</style></svg><p>a</p>b', 'b'],
    ['a style sheet that is markup', '<svg><style><!--</style>a--></style></svg>b', 'b'],
    ['a drawing that a paragraph ends', '<svg><g>a<p>b', 'b'],
    ['mixed case', '<P HiDdEn>a</p><DIV STYLE=DISPLAY:NONE>b</dIv>c', 'c'],
    ['NUL characters', 'a\0b<p hid\0den>c</p>', 'ab\nc'],
    ['a tag that seems to end itself', '<p hidden/>a</p><div hidden />b</div>c', 'c'],
    ['a tag in a tag', '<p hidden<p>a</p><p <b hidden>b</p>c', 'a\n\nc'],
    ['letters that go on', '<p hidden><b>a</p>b<i hidden>c<p>d</i>e', 'b\ne'],
    ['a second body', '<body>a<body hidden>', ''],
    ['a list', '<ul><li hidden>a<li>b<ul><li hidden>c</ul>d</ul>', 'b\n\nd'],
  ])('are those that a browser shows: %s', (_, html, text) => {
    expect(shownText(html)).toBe(text)
  })

  test.each([
    ['the weight of selectors', '<style>.x{color:#fff}p{color:#000}</style><p class=x>a</p>b', 'b'],
    ['strings', `<style>.y{content:"}/*"}.x{a:'\\';';display:none}</style><p class=x>a</p>b`, 'b'],
    ['escapes', '<style>.x{a\\3b:b;a\\7d:b;display:none}</style><p class=x>a</p>b', 'b'],
    ['names with escapes', '<style>.s\\:x,#é😀{display:none}</style><p class="y S:x">a</p><p id=é😀>b</p>c', 'c'],
    [
      'letters that are two when small',
      '<style>.\\130 x,.\\1f600{display:none}</style><p class="İx">a</p><p class=😀>b</p>c',
      'c',
    ],
    ['rules in rules', '<style>.y{color:red;.x{display:none}}</style><p class=x>a</p>b', 'b'],
    ['unknown conditions', '<style>@scope (p){.x{display:none}}</style><p class=x>a</p>b', 'b'],
    ['animations', '<style>@keyframes k{0%{opacity:0}}.x{animation:k}</style><p class=x>a</p>b', 'b'],
    ['many classes', `<style>.x{display:none}</style><p class="${'y '.repeat(99)}x">a</p>b`, 'b'],
    ['many declarations', `<p style="${'a:b;'.repeat(200)}display:none">a</p>b`, 'b'],
    ['many rules', `<style>${'i{a:b}'.repeat(2_000)}.x{display:none}</style><p class=x>a</p>b`, ''],
    ['what follows deep elements', `<p>a</p>${'<div>'.repeat(400)}<style>p{display:none}</style>`, ''],
    ['what follows a long page', `<p>a</p>${'b'.repeat(400_000)}<style>p{display:none}</style>`, ''],
    ['words for browsers without scripts', '<noscript>a</noscript>b', ''],
    ['a page without scripts', '<div><noscript><p title="</noscript>a">b</p></noscript>c', 'c'],
    ['deep elements alone', `<p>a</p>${'<div>'.repeat(400)}b`, 'a\n\n…'],
  ])('are not seen in doubt: %s', (_, html, text) => {
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

describe('hidden text of a mail is not seen, though it is hidden', () => {
  const sheet = (css: string) => `<style>${css}</style><p>ok</p><div class="a"><p class="x b" id="i">no</p></div>`
  test.each([
    ['by a rule in a rule', sheet('.a{ color:red; & .b{display:none} }')],
    ['by a rule in a scope', sheet('@scope (.a){ .x{display:none} }')],
    ['by a rule behind a quoted comment', sheet('.q{content:"/*"} .x{display:none} .r{content:"*/"}')],
    ['by a state that names others', sheet('.x:not(:is(q) .c){display:none}')],
    ['by a name with an escape in it', '<style>.x\\.y{display:none}</style><p>ok</p><p class="x.y">no</p>'],
    ['by a name that is not ASCII', '<style>.xé{display:none}</style><p>ok</p><p class="xé">no</p>'],
    ['by an animation', sheet('@keyframes k{to{opacity:0}} .x{animation:k 0s forwards}')],
    ['by letters that are fetched', sheet('@font-face{font-family:f;src:url(x)} .x{font-family:f}')],
    ['by the last of many declarations', sheet(`.x{${'color:red;'.repeat(70)}display:none}`)],
    [
      'by the last of many attributes',
      `<p>ok</p><p ${Array.from({ length: 60 }, (_, n) => `a${n}`).join(' ')} style="display:none">no</p>`,
    ],
    ['at the end of a long style', `<p>ok</p><p style="${' '.repeat(5_000)}display:none">no</p>`],
    ['by an entity without its end', '<p>ok</p><p style="display&#58none">no</p>'],
    ['by an entity that is seldom used', '<p>ok</p><p style="display&colon;none">no</p>'],
    ['by a class that is an entity', '<style>.x{display:none}</style><p>ok</p><p class="&#120;">no</p>'],
    ['by a mask', '<p>ok</p><p style="mask-image:linear-gradient(#0000,#0000)">no</p>'],
    ['by its size in the other direction', '<p>ok</p><p style="block-size:0;overflow:hidden">no</p>'],
    ['by a size that is computed', '<p>ok</p><p style="height:calc(0px);overflow:hidden">no</p>'],
    ['by a picture of its own colour', '<p>ok</p><p style="background-image:linear-gradient(#000,#000)">no</p>'],
    ['by one name for words and ground', '<p>ok</p><p style="color:darkblue;background:darkblue">no</p>'],
    ['by a name and its number', '<p>ok</p><p style="color:teal;background:#008080">no</p>'],
    ['by a colour of the system', '<p>ok</p><p style="color:Canvas">no</p>'],
    ['by lines without a height', '<p>ok</p><p style="line-height:0">no</p>'],
    ['as a popover', '<p>ok</p><div popover>no</div>'],
    ['behind the end of the page', '<body><p>ok</p><div style="display:none"></body>no'],
    ['behind the end of a form', '<p>ok</p><form><div style="display:none"></form>no</div>'],
    ['behind the end of letters', '<p>ok</p><b><p style="display:none"></b>no</p>'],
    ['behind the end of a span', '<p>ok</p><span><div style="display:none"></span>no</div>'],
    ['in a list in a list', '<p>ok</p><ul><li>a<ul style="display:none"><li>no</ul></ul>'],
    ['in a button in a paragraph', '<p>ok<button style="display:none"><div>no</div></button>'],
    ['where markup ends', '<p>ok</p><div style="display:none"><plaintext></div>no'],
  ])('%s', (_, html) => {
    const shown = shownText(html)
    expect(shown).not.toContain('no')
  })

  test.each([
    ['a size', 'font-size:0;font-size:bogus'],
    ['a unit', 'font-size:0;font-size:12foo'],
    ['a number without a unit', 'height:0;height:100ab;overflow:hidden'],
    ['a negative length', 'max-height:0;max-height:-5px;overflow:hidden'],
    ['two values', 'overflow:hidden;overflow:x;height:0;height:y'],
    ['a word that is none of display', 'display:none;display:solid'],
    ['what is not important', 'display:none;display:block!x'],
    ['a place', 'position:absolute;left:-9999px;left:bogus'],
    ['a line height', 'line-height:0;line-height:x'],
    ['what is in brackets', 'display:none;text-align:(;display:block'],
    ['what is in other brackets', 'display:none;text-align:{;display:block'],
    ['what follows the mark of a comment', 'display:none;<!--display:block'],
  ])('by a style of which a browser leaves out %s', (_, style) => {
    expect(shownText(`<p>ok</p><p style="${style}">no</p>`)).not.toContain('no')
    expect(shownText(`<p>ok</p><style>.x{${style}}</style><p class="x">no</p>`)).not.toContain('no')
  })

  test.each([
    ['a sheet and a style', '<style>.x{font-size:0}</style><p>ok</p><p class="x" style="font-size:bogus">no</p>'],
    ['two rules', '<style>p.x{font-size:0}#i{font-size:bogus}</style><p>ok</p><p class="x" id="i">no</p>'],
    ['a sign', '<p>ok</p><p style="font-size:+0px">no</p>'],
    ['a power of ten', '<p>ok</p><p style="max-height:0e5px;overflow:hidden">no</p>'],
    ['a font with a size', '<p>ok</p><p style="font-size:12px;font:0 a">no</p>'],
    ['a font with a computed size', '<p>ok</p><p style="font:calc(0px) a">no</p>'],
    ['fonts in fonts', `<p>ok</p>${'<div style="font:smaller a">'.repeat(15)}no`],
    ['a ground and its colour', '<p>ok</p><p style="background-color:white;background:#000">no</p>'],
    ['a picture in its place', '<p>ok</p><p style="content:url(x)">no</p>'],
    ['a name that objects have', '<div style="font-size:constructor"><p style="font-size:.01em">no</p></div>'],
    ['a template in its place', '<p>ok</p><div><template shadowrootmode="open">x</template>no</div>'],
    ['a dark page', '<html style="color-scheme:dark"><p style="color:#000">no</p>'],
    ['its distance', '<p>ok</p><p style="padding-left:9999px">no</p>'],
    ['its height over the line', '<p>ok</p><p>a<span style="vertical-align:-9999px">no</span></p>'],
  ])('by %s', (_, html) => {
    expect(shownText(html)).not.toContain('no')
  })

  test.each([
    ['a style sheet elsewhere', '<link rel="stylesheet" href="data:text/css,p{display:none}"><p>no</p>'],
    ['an imported sheet', '<style>@import "x.css";</style><p>no</p>'],
    ['a second body', '<p>no</p><body style="display:none">'],
    ['a part for readers without scripts', '<p>no</p><noscript><style>p{display:none}</style></noscript>'],
    ['a sheet behind all of it', `<p>no</p>${' '.repeat(400_000)}<style>p{display:none}</style>`],
    ['a block on it', '<p>no</p><div style="position:absolute;top:0;width:9in;height:9in;background:#fff"></div>'],
    [
      'a block that is pulled up',
      '<p>no</p><div style="opacity:.99;margin-top:-80px;height:80px;background:#fff"></div>',
    ],
    ['the edge of another', '<p>no</p><div style="outline:200px solid #fff"></div>'],
    ['the shadow of another', '<p>no</p><div style="position:relative;top:20px;box-shadow:0 0 0 999px #fff"></div>'],
    ['a page that is dark', '<meta name="color-scheme" content="dark"><p style="color:#000">no</p>'],
    ['more rules than are read', `<style>${'.q{color:red}'.repeat(600)}p{display:none}</style><p>no</p>`],
  ])('by %s', (_, html) => {
    expect(shownText(html)).toBe('')
  })
})

test.each([
  [
    'Outlook',
    '<html xmlns:o="urn:x"><head><style><!-- @font-face {font-family:Calibri; panose-1:2 15 5 2 2 2 4 3 2 4;} p.MsoNormal, li.MsoNormal {margin:0cm; font-size:11.0pt; font-family:"Calibri",sans-serif; mso-fareast-language:EN-US;} a:link {mso-style-priority:99; color:#0563C1; text-decoration:underline;} .MsoChpDefault {mso-style-type:export-only;} @page WordSection1 {size:612.0pt 792.0pt; margin:72.0pt;} div.WordSection1 {page:WordSection1;} --></style></head><body lang="EN-GB" link="#0563C1" vlink="#954F72" style="word-wrap:break-word"><div class="WordSection1"><p class="MsoNormal"><span style="color:windowtext">Pay Bob<o:p></o:p></span></p></div></body></html>',
  ],
  [
    'Apple Mail',
    '<html><head></head><body style="overflow-wrap: break-word; -webkit-nbsp-mode: space; line-break: after-white-space;"><span style="caret-color: rgb(0, 0, 0); color: rgb(0, 0, 0); font-family: Helvetica; font-size: 12px; font-variant-caps: normal; letter-spacing: normal; orphans: auto; text-indent: 0px; white-space: normal; widows: auto; word-spacing: 0px; -webkit-text-size-adjust: auto; -webkit-text-stroke-width: 0px; text-decoration: none; float: none; display: inline !important;">Pay Bob</span></body></html>',
  ],
  [
    'Gmail',
    '<div dir="ltr"><div class="gmail_default" style="font-family:arial,sans-serif;font-size:small">Pay <b>Bob</b></div></div>',
  ],
  [
    'Thunderbird',
    '<html><head><meta http-equiv="content-type" content="text/html; charset=UTF-8"></head><body text="#000000" bgcolor="#FFFFFF"><p>Pay Bob<br></p></body></html>',
  ],
])('what is written with %s is seen', (_, html) => {
  expect(shownText(html)).toBe('Pay Bob')
})
