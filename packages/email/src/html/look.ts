import { isDeepStrictEqual } from 'node:util'
import { black, colourOf, standsOut, white, type Colour } from './colours.ts'
import type { Declarations } from './css.ts'
import { isKnownDeclaration } from './harmless-properties.ts'

/** How the text in an element looks: what it inherits, and whether it can be seen. */
export interface Look {
  /** True when nothing inside can be seen, whatever its own style. */
  readonly isGone: boolean
  readonly isVisible: boolean
  readonly opacity: number
  /** The font size, in pixels. */
  readonly size: number
  readonly colour: Colour
  /** Unknown for pictures, and for computed values. */
  readonly ground: Colour | 'unknown'
}

export const pageLook: Look = {
  isGone: false,
  isVisible: true,
  opacity: 1,
  size: 16,
  colour: black,
  ground: white,
}

const minFontSize = 3
/** The digits of a number that are read: a longer one would keep the patterns busy. */
const maxNumber = 100
const numberWithUnit = /^([-+]?\d*\.?\d+(?:e[-+]?\d+)?)\s*([a-z%]*)$/
const minOpacity = 0.15
const farAway = 100
/** An element that is clipped to this size, in pixels, shows no line. */
const minBoxSize = 12
const gone: ReadonlySet<string> = new Set(
  'script style head title template svg math noscript iframe object embed video audio canvas datalist select option textarea noembed noframes xmp input frameset map rp progress meter marquee'.split(
    ' ',
  ),
)
const unlessOpen: ReadonlySet<string> = new Set(['details', 'dialog'])
const inherits: ReadonlySet<string> = new Set(['inherit', 'currentcolor', 'unset', 'revert', 'auto'])
const units: Readonly<Record<string, number>> = { px: 1, pt: 1.333, pc: 16, cm: 37.8, mm: 3.78, in: 96, '': 1 }
const keywords: Readonly<Record<string, number>> = { smaller: 0.83, larger: 1.2 }

/** Whether text with this look can be read. */
export function canBeRead({ isGone, isVisible, opacity, size, colour, ground }: Look): boolean {
  if (isGone || !isVisible || opacity < minOpacity || size < minFontSize) return false
  if (ground === 'unknown') return false
  return colour.alpha >= minOpacity && standsOut(colour, ground)
}

/** Whether an element is never shown, whatever its style. */
export function isNeverShown(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.has('hidden') || attributes.has('popover')) return true
  return gone.has(name) || (unlessOpen.has(name) && !attributes.has('open'))
}

/** The look in a visible element, from the one around it and from its declarations. */
export function lookIn(around: Look, declared: Declarations, attributes: ReadonlyMap<string, string>): Look {
  const visibility = declared.get('visibility')
  const written = attributes.get('color') ?? attributes.get('text')
  const colour = declared.get('-webkit-text-fill-color') ?? declared.get('color') ?? written
  const grounds = ['background-color', 'background'].flatMap((name) => declared.get(name) ?? [])
  const picture = declared.get('background-image') ?? attributes.get('background') ?? 'none'
  return {
    isGone: around.isGone || hidesLinks(attributes),
    isVisible: visibility === undefined || inherits.has(visibility) ? around.isVisible : visibility === 'visible',
    opacity: around.opacity * opacityIn(declared),
    size: sizeIn(around.size, declared),
    colour: colour === undefined ? around.colour : wordColour(colour.toLowerCase(), around.colour),
    ground: groundIn(around.ground, grounds.length === 0 ? [attributes.get('bgcolor') ?? ''] : grounds, picture),
  }
}

/** Whether a page makes the text of links look like paper. */
function hidesLinks(attributes: ReadonlyMap<string, string>): boolean {
  const colours = ['link', 'vlink', 'alink'].flatMap((name) => attributes.get(name)?.toLowerCase() ?? [])
  return colours.some((text) => !standsOut(wordColour(text, black), white))
}

/** The names of system colours for text. */
const systemWords: ReadonlySet<string> = new Set(
  'initial windowtext canvastext buttontext fieldtext graytext linktext visitedtext activetext -webkit-link'.split(' '),
)

function wordColour(text: string, around: Colour): Colour {
  if (inherits.has(text)) return around
  if (systemWords.has(text)) return black
  // Computed or unknown values could be anything.
  return colourOf(text) ?? { ...black, alpha: 0 }
}

/** Where colour and ground are declared both, and not as the same, it is not known here which was later. */
function groundIn(around: Look['ground'], texts: readonly string[], picture: string): Look['ground'] {
  const isPlain = picture === '' || picture === 'none' || inherits.has(picture) || picture === 'initial'
  const [ground = around, other = ground] = texts.map((text) => groundColour(text.toLowerCase(), around))
  return isPlain && isDeepStrictEqual(ground, other) ? ground : 'unknown'
}

function groundColour(text: string, around: Look['ground']): Look['ground'] {
  const plain = text
    .replaceAll(/\b(?:no-repeat|repeat|scroll|center|left|right|top|bottom|0%|0px|0)(?=\s|$)/g, '')
    .trim()
  if (plain === '' || plain === 'none' || plain === 'initial' || inherits.has(plain)) return around
  if (plain === 'window' || plain === 'canvas') return white
  const found = colourOf(plain) ?? colourOf(plain.replace(/^none\s+|\s+none$/g, ''))
  if (found === undefined) return 'unknown'
  return found.alpha < 0.5 ? around : found
}

function opacityIn(declared: Declarations): number {
  const text = declared.get('opacity')
  if (text === undefined || inherits.has(text)) return 1
  const value = Number.parseFloat(text)
  if (Number.isNaN(value)) return 0
  return text.endsWith('%') ? value / 100 : Math.min(1, value)
}

/** Of the size and the font the smaller one: which of them was declared later is not known here. */
function sizeIn(around: number, declared: Declarations): number {
  const texts = [declared.get('font-size'), sizeOfFont(declared.get('font') ?? '')]
  const sizes = texts.flatMap((text) => (text === undefined ? [] : [sizeOf(text, around)]))
  return sizes.length === 0 ? around : Math.min(...sizes)
}

/** The size in `italic 12px/1.5 serif`. */
function sizeOfFont(font: string): string | undefined {
  if (font.includes('(')) return font
  const pieces = font.slice(0, maxNumber).split(/[\s/]+/)
  return (
    pieces.find((piece) => /^[-+.\d]/.test(piece) && !/^[1-9]00$/.test(piece)) ??
    pieces.find((piece) => Object.hasOwn(keywords, piece))
  )
}

/** None when it is computed. */
function sizeOf(text: string, around: number): number {
  if (inherits.has(text)) return around
  if (text.includes('(')) return 0
  const [, number = '', unit = ''] = numberWithUnit.exec(text.slice(0, maxNumber)) ?? []
  if (number === '') return around * (Object.hasOwn(keywords, text) ? (keywords[text] ?? 1) : 1)
  const value = Number(number)
  if (unit === '%') return (around * value) / 100
  if (unit === 'em' || unit === 'ex' || unit === 'ch') return around * value * (unit === 'em' ? 1 : 0.5)
  if (unit === 'rem') return 16 * value
  return value * (Object.hasOwn(units, unit) ? (units[unit] ?? 1) : 8)
}

/** Whether an element with all its content is hidden: not displayed, clipped, shrunk, or moved out of sight. */
export function isTakenAway(declared: Declarations): boolean {
  if (declared.size === 0) return false
  const value = (name: string) => declared.get(name) ?? ''
  const display = value('display')
  if (display === 'none' || display.includes('(') || value('visibility').includes('(')) return true
  if (value('mso-hide') === 'all' || value('content-visibility') === 'hidden') return true
  if ([...declared].some(([name, text]) => !isKnownDeclaration(name, text))) return true
  if (!['', '1', '100%', 'normal'].includes(value('zoom')) || value('unicode-bidi').includes('override')) return true
  if (
    ['transform', 'clip', 'clip-path', 'mask', '-webkit-mask', 'scale', 'translate'].some((name) => isSet(value(name)))
  )
    return true
  if (value('filter').includes('(')) return true
  return isShrunk(value) || isFar(value, declared)
}

function isSet(value: string): boolean {
  return value !== '' && value !== 'none' && value !== 'auto' && !inherits.has(value)
}

function isShrunk(value: (name: string) => string): boolean {
  if (pixels(value('max-height')) === 0 || pixels(value('max-width')) === 0 || isFlat(value('line-height'))) return true
  const overflow = `${value('overflow')} ${value('overflow-x')} ${value('overflow-y')}`
  if (!/hidden|clip|scroll|auto/.test(overflow)) return false
  const isSmall = ['width', 'height', 'max-width', 'max-height', 'flex', 'flex-basis'].some((name) => {
    const text = value(name)
    return text.includes('(') || lengths(text).some((size) => size < minBoxSize) || /^0 0\b/.test(text)
  })
  const pushed = ['padding', 'padding-left', 'padding-top', 'padding-right'].flatMap((name) => lengths(value(name)))
  return isSmall || pushed.some((length) => length >= farAway)
}

/** Overlapping lines. */
function isFlat(lineHeight: string): boolean {
  if (lineHeight.includes('(')) return true
  const number = Number.parseFloat(lineHeight)
  if (Number.isNaN(number)) return false
  return /^[\d.]+$/.test(lineHeight)
    ? number < 0.5
    : lineHeight.endsWith('%')
      ? number < 50
      : (pixels(lineHeight) ?? 0) < 4
}

function isFar(value: (name: string) => string, declared: Declarations): boolean {
  const isPlaced = /absolute|fixed|relative|sticky/.test(value('position')) || value('position').includes('(')
  const places = ['left', 'right', 'top', 'bottom', 'inset'].map(value)
  if (isPlaced && (places.some((place) => isFarAway(place, -farAway, farAway)) || value('z-index').startsWith('-')))
    return true
  const moved = [...declared].filter(([name]) => name.startsWith('margin')).map(([, text]) => text)
  if (moved.some((text) => isFarAway(text, -farAway, 20 * farAway))) return true
  if (isFarAway(value('text-indent'), -farAway, farAway)) return true
  const padded = [...declared].filter(([name]) => name.startsWith('padding')).map(([, text]) => text)
  if (padded.some((text) => lengths(text).some((length) => length >= 20 * farAway))) return true
  if (isFarAway(value('vertical-align'), -farAway, farAway)) return true
  return ['letter-spacing', 'word-spacing'].some((name) => isFarAway(value(name), -3, Infinity))
}

/**
 * Whether an element may lie on the words of others: by a broad edge, or because it has a ground, is moved, and is one of
 * those that browsers paint after the words of the page.
 */
export function mayCover(declared: Declarations): boolean {
  if (declared.size === 0) return false
  const value = (name: string) => declared.get(name) ?? ''
  if (lengths(`${value('outline')} ${value('outline-width')}`).some((length) => length >= minBoxSize)) return true
  const hasGround = ['background', 'background-color', 'background-image', 'box-shadow'].some(
    (name) => isSet(value(name)) && !/^(?:transparent|initial)$/.test(value(name)),
  )
  return hasGround && isPaintedLate(value, declared) && isMovedAway(value)
}

function isPaintedLate(value: (name: string) => string, declared: Declarations): boolean {
  if (isSet(value('position')) && value('position') !== 'static') return true
  if (value('opacity') !== '' && opacityIn(declared) < 1) return true
  const isUnknown = [...declared].some(([name, text]) => !isKnownDeclaration(name, text))
  return isUnknown || ['transform', 'scale', 'translate', 'filter', 'z-index'].some((name) => isSet(value(name)))
}

function isMovedAway(value: (name: string) => string): boolean {
  if (/absolute|fixed|sticky/.test(value('position'))) return true
  if (['transform', 'scale', 'translate'].some((name) => isSet(value(name)))) return true
  const isPlaced = ['left', 'right', 'top', 'bottom', 'inset'].some((name) =>
    isFarAway(value(name), -minBoxSize, minBoxSize),
  )
  return (
    isPlaced || ['margin', 'margin-top', 'margin-bottom'].some((name) => isFarAway(value(name), -minBoxSize, Infinity))
  )
}

/** Whether a length is beyond these limits, or is computed. */
function isFarAway(text: string, min: number, max: number): boolean {
  return text.includes('(') || lengths(text).some((length) => length <= min || length >= max)
}

function lengths(text: string): number[] {
  return text.split(/\s+/, 8).flatMap((piece) => pixels(piece) ?? [])
}

/** The approximate length in pixels; undefined when it is none. */
function pixels(text: string): number | undefined {
  const [, number = '', unit = ''] = numberWithUnit.exec(text.slice(0, maxNumber)) ?? []
  if (number === '') return undefined
  return Number(number) * (Object.hasOwn(units, unit) ? (units[unit] ?? 1) : 16)
}
