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
  // A picture takes the place of the words.
  [/^content$/, /^(?:none|normal|inherit|initial|"")$/],
  [
    /^(?:color-scheme|supported-color-schemes)$/,
    /^(?:normal|inherit|initial|(?:only )?light(?: only)?|light dark|dark light)$/,
  ],
]

const length = '(?:0|[-+]?\\d*\\.?\\d+(?:px|pt|pc|cm|mm|in|em|rem|ex|ch|vw|vh|%))'
const anyways = 'inherit|initial|unset|revert'
/** Values of which it is known that a browser takes them, for properties that can hide. */
const plainForms: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^display$/,
    new RegExp(
      `^(?:none|block|inline|inline-block|(?:inline-)?(?:flex|grid|table)|list-item|contents|flow-root|table-(?:row|cell|caption|column|(?:row|header|footer|column)-group)|${anyways})$`,
    ),
  ],
  [/^visibility$/, new RegExp(`^(?:visible|hidden|collapse|${anyways})$`)],
  [/^content-visibility$/, new RegExp(`^(?:visible|hidden|auto|${anyways})$`)],
  [/^position$/, new RegExp(`^(?:static|relative|absolute|fixed|sticky|${anyways})$`)],
  [/^overflow(?:-[xy])?$/, new RegExp(`^(?:visible|hidden|clip|scroll|auto|${anyways})$`)],
  [/^opacity$/, new RegExp(`^(?:[01]?\\.?\\d+%?|${anyways})$`)],
  [/^z-index$/, new RegExp(`^(?:auto|-?\\d+|${anyways})$`)],
  [
    /^font-size$/,
    new RegExp(`^(?:(?!-)${length}|(?:xx?-)?(?:small|large)|xxx-large|medium|smaller|larger|${anyways})$`),
  ],
  [/^line-height$/, new RegExp(`^(?:normal|\\d*\\.?\\d+|(?!-)${length}|${anyways})$`)],
  [/^(?:min-|max-)?(?:width|height)$/, new RegExp(`^(?:auto|none|(?!-)${length}|${anyways})$`)],
  [/^padding(?:-(?:left|right|top|bottom))?$/, new RegExp(`^(?:(?:(?!-)${length}(?: (?!$)|$)){1,4}|${anyways})$`)],
  [/^margin(?:-(?:left|right|top|bottom))?$/, new RegExp(`^(?:(?:(?:auto|${length})(?: (?!$)|$)){1,4}|${anyways})$`)],
  [/^(?:left|right|top|bottom|text-indent)$/, new RegExp(`^(?:auto|${length}|${anyways})$`)],
  [
    /^vertical-align$/,
    new RegExp(`^(?:baseline|sub|super|text-top|text-bottom|middle|top|bottom|${length}|${anyways})$`),
  ],
  [/^(?:letter|word)-spacing$/, new RegExp(`^(?:normal|(?!.*%)${length}|${anyways})$`)],
  [/^(?:color|background(?:-color)?)$/, /^(?!.*!)/],
]
/** Longer ones would keep the patterns busy. */
const maxValue = 100
/** Whatever their value, they hide nothing. */
const neverHides =
  /^(?:font-(?:family|weight|style|variant.*|stretch|kerning|feature-settings)|text-(?:align.*|decoration.*|transform|rendering|wrap.*)|white-space.*|word-break|word-wrap|overflow-wrap|border(?:-.*)?|list-style.*|float|clear|cursor|direction|mso-(?!hide).*|page-break.*|break-.*|table-layout|background-(?:repeat|position|size|attachment|origin)|box-sizing|orphans|widows|--.*)$/

/** Whether a value replaces the one before it, as far as that matters: a browser leaves out what it does not understand. */
export function isPlainValue(name: string, value: string): boolean {
  if (neverHides.test(name)) return true
  if (value.length > maxValue) return false
  return plainForms.some(([names, values]) => names.test(name) && values.test(value))
}

/** Whether the effect of a declaration is known. */
export function isKnownDeclaration(name: string, value: string): boolean {
  for (const [names, values] of plainValues) if (names.test(name)) return values.test(value)
  return listed.has(name) || families.test(name) || name.startsWith('--')
}
