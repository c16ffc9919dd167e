/**
 * CSS properties that mail programs write, and that hide no text with any value; or that are checked one by one. With
 * any other property the visible text cannot be determined.
 */
const listed = new Set(
  (
    'color background background-color background-image background-repeat background-position background-size ' +
    'background-attachment background-clip background-origin font font-family font-feature-settings font-kerning ' +
    'font-language-override font-optical-sizing font-size font-stretch font-style font-synthesis font-variant ' +
    'font-variation-settings font-weight line-height letter-spacing word-spacing text-align text-align-last ' +
    'text-indent text-justify text-rendering text-shadow text-transform text-wrap text-wrap-mode text-wrap-style ' +
    'text-overflow text-autospace text-justify-trim text-kashida-space text-effect white-space white-space-collapse ' +
    'word-break word-wrap overflow-wrap line-break hyphens tab-size orphans widows quotes direction unicode-bidi ' +
    'writing-mode display visibility opacity width height min-width min-height max-width max-height box-sizing ' +
    'box-shadow border-radius outline outline-color outline-style outline-width outline-offset vertical-align float ' +
    'clear position left right top bottom inset z-index overflow overflow-x overflow-y list-style list-style-image ' +
    'list-style-position list-style-type table-layout border-collapse border-spacing caption-side empty-cells cursor ' +
    'caret-color accent-color color-scheme supported-color-schemes forced-color-adjust page page-break-after ' +
    'page-break-before page-break-inside break-after break-before break-inside size transition resize user-select ' +
    'pointer-events object-fit align-items align-content align-self justify-content justify-items justify-self gap ' +
    'row-gap column-gap flex-direction flex-wrap flex-flow flex flex-grow flex-shrink flex-basis content ' +
    'content-visibility zoom transform scale translate clip clip-path mask filter layout-grid-mode tab-interval ' +
    'punctuation-wrap layout-flow text-combine text-combine-upright ' +
    '-webkit-text-fill-color -webkit-mask -webkit-font-smoothing -moz-osx-font-smoothing -webkit-nbsp-mode ' +
    '-webkit-line-break -webkit-user-select -moz-user-select -ms-user-select -webkit-user-drag -ms-interpolation-mode ' +
    '-webkit-tap-highlight-color -webkit-border-horizontal-spacing -webkit-border-vertical-spacing ' +
    '-webkit-hyphens -moz-hyphens -ms-hyphens -ms-word-break'
  ).split(' '),
)
const families =
  /^(?:margin|padding|border|text-decoration|text-underline|text-emphasis|font-variant|mso|panose|--)(?:-|$)/
/** These must have their default values. */
const plainValues: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:-webkit-|-moz-|-ms-)?text-size-adjust$/, /^(?:auto|none|100%|inherit|initial)$/],
  [/^-webkit-text-stroke(?:-width)?$/, /^(?:initial|inherit|0(?:px)?)$/],
]

/** Whether the effect of a declaration is known. */
export function isKnownDeclaration(name: string, value: string): boolean {
  for (const [names, values] of plainValues) if (names.test(name)) return values.test(value)
  return listed.has(name) || families.test(name) || name.startsWith('--')
}
