import { black, colourOf, standsOut, white, type Colour } from './colours.ts'
import type { Declarations } from './css.ts'

/** How the words in an element look: what it inherits, and whether they can be seen. */
export interface Look {
  /** True when nothing inside can be seen, whatever it says of itself. */
  readonly isGone: boolean
  readonly isVisible: boolean
  readonly opacity: number
  /** Of the letters, in pixels. */
  readonly size: number
  readonly colour: Colour | 'other'
  readonly ground: Colour | 'other'
}

export const pageLook: Look = {
  isGone: false,
  isVisible: true,
  opacity: 1,
  size: 16,
  colour: black,
  ground: white,
}

const smallestLetter = 3
/** Numbers are read so far: a longer one would keep the patterns busy. */
const maxNumber = 100
const faintest = 0.15
const farAway = 100
const gone: ReadonlySet<string> = new Set(
  'script style head title template svg math noscript iframe object embed video audio canvas datalist select option textarea noembed noframes xmp input frameset map'.split(
    ' ',
  ),
)
const unlessOpen: ReadonlySet<string> = new Set(['details', 'dialog'])
const inherits: ReadonlySet<string> = new Set(['inherit', 'currentcolor', 'unset', 'revert', 'auto'])
const units: Readonly<Record<string, number>> = { px: 1, pt: 1.333, pc: 16, cm: 37.8, mm: 3.78, in: 96, '': 1 }
const keywords: Readonly<Record<string, number>> = { smaller: 0.83, larger: 1.2 }

/** Whether words that look so can be read. */
export function canBeRead({ isGone, isVisible, opacity, size, colour, ground }: Look): boolean {
  if (isGone || !isVisible || opacity < faintest || size < smallestLetter) return false
  if (colour === 'other' || ground === 'other') return true
  return colour.alpha >= faintest && standsOut(colour, ground)
}

/** Whether an element is never shown, whatever its style. */
export function isNeverShown(name: string, attributes: ReadonlyMap<string, string>): boolean {
  return gone.has(name) || attributes.has('hidden') || (unlessOpen.has(name) && !attributes.has('open'))
}

/** The look in an element that is not taken away, from the one around it and from what is declared for it. */
export function lookIn(around: Look, declared: Declarations, attributes: ReadonlyMap<string, string>): Look {
  const visibility = declared.get('visibility')
  const size = sizeIn(around.size, declared)
  const written = attributes.get('color') ?? attributes.get('text')
  const colour = declared.get('-webkit-text-fill-color') ?? declared.get('color') ?? written
  const ground = declared.get('background-color') ?? declared.get('background') ?? attributes.get('bgcolor')
  return {
    isGone: around.isGone || size === undefined,
    isVisible: visibility === undefined || inherits.has(visibility) ? around.isVisible : visibility === 'visible',
    opacity: around.opacity * opacityIn(declared),
    size: size ?? around.size,
    colour: colour === undefined ? around.colour : wordColour(colour.toLowerCase(), around.colour),
    ground: ground === undefined ? around.ground : groundColour(ground.toLowerCase(), around.ground),
  }
}

function wordColour(text: string, around: Look['colour']): Look['colour'] {
  if (inherits.has(text)) return around
  if (['initial', 'windowtext', 'canvastext'].includes(text)) return black
  // What is computed cannot be told here, and could be anything.
  return colourOf(text) ?? (text.includes('(') ? { ...black, alpha: 0 } : 'other')
}

function groundColour(text: string, around: Look['ground']): Look['ground'] {
  if (text === 'none' || text.startsWith('url(') || inherits.has(text)) return around
  const found =
    colourOf(text) ??
    text
      .split(/\s+/, 10)
      .map(colourOf)
      .find((colour) => colour !== undefined)
  if (found === undefined) return /^[a-z]+$/.test(text) ? 'other' : around
  return found.alpha < 0.5 ? around : found
}

function opacityIn(declared: Declarations): number {
  const text = declared.get('opacity')
  if (text === undefined || inherits.has(text)) return 1
  const value = Number.parseFloat(text)
  if (Number.isNaN(value)) return 0
  return text.endsWith('%') ? value / 100 : Math.min(1, value)
}

/** The size of the letters; undefined when it cannot be told. */
function sizeIn(around: number, declared: Declarations): number | undefined {
  const shorthand = /(?:^|\s)(\d*\.?\d+(?:[a-z]+|%)?)(?:\/|\s|$)/.exec(
    declared.get('font')?.slice(0, maxNumber) ?? '',
  )?.[1]
  const text = declared.get('font-size') ?? shorthand
  if (text === undefined || inherits.has(text)) return around
  if (text.includes('(')) return undefined
  const [, number = '', unit = ''] = /^(-?\d*\.?\d+(?:e-?\d+)?)\s*([a-z%]*)$/.exec(text.slice(0, maxNumber)) ?? []
  if (number === '') return around * (keywords[text] ?? 1)
  const value = Number(number)
  if (unit === '%') return (around * value) / 100
  if (unit === 'em' || unit === 'ex' || unit === 'ch') return around * value * (unit === 'em' ? 1 : 0.5)
  if (unit === 'rem') return 16 * value
  return value * (Object.hasOwn(units, unit) ? (units[unit] ?? 1) : 8)
}

/** Whether an element with all that is in it is away: not displayed, clipped, shrunk, or moved out of sight. */
export function isTakenAway(declared: Declarations): boolean {
  if (declared.size === 0) return false
  const value = (name: string) => declared.get(name) ?? ''
  const display = value('display')
  if (display === 'none' || display.includes('(') || value('visibility').includes('(')) return true
  if (value('mso-hide') === 'all' || value('content-visibility') === 'hidden') return true
  if (/^0(?:\.0*)?%?$/.test(value('zoom')) || value('unicode-bidi').includes('override')) return true
  if (
    [
      'animation',
      'animation-name',
      'transform',
      'clip',
      'clip-path',
      'mask',
      '-webkit-mask',
      'scale',
      'translate',
    ].some((name) => isSet(value(name)))
  )
    return true
  if (value('filter').includes('(')) return true
  return isShrunk(value) || isFar(value, declared)
}

function isSet(value: string): boolean {
  return value !== '' && value !== 'none' && value !== 'auto' && !inherits.has(value)
}

function isShrunk(value: (name: string) => string): boolean {
  if (pixels(value('max-height')) === 0 || pixels(value('max-width')) === 0) return true
  const overflow = `${value('overflow')} ${value('overflow-x')} ${value('overflow-y')}`
  const isCut = /hidden|clip|scroll|auto/.test(overflow)
  const sizes = ['width', 'height', 'max-width', 'max-height'].map((name) => pixels(value(name)))
  const isFlat = pixels(value('line-height')) === 0 || sizes.some((size) => size !== undefined && size <= 2)
  return isCut && isFlat
}

function isFar(value: (name: string) => string, declared: Declarations): boolean {
  const isPlaced = /absolute|fixed|relative|sticky/.test(value('position'))
  const places = ['left', 'right', 'top', 'bottom', 'inset'].flatMap((name) => lengths(value(name)))
  if (isPlaced && (places.some((length) => Math.abs(length) >= farAway) || value('z-index').startsWith('-')))
    return true
  const moved = [...declared].flatMap(([name, text]) => (name.startsWith('margin') ? lengths(text) : []))
  if (moved.some((length) => length <= -farAway || length >= 20 * farAway)) return true
  const indent = pixels(value('text-indent')) ?? 0
  return Math.abs(indent) >= farAway || (pixels(value('letter-spacing')) ?? 0) <= -3
}

function lengths(text: string): number[] {
  return text.split(/\s+/, 8).flatMap((piece) => pixels(piece) ?? [])
}

/** A length in pixels, about; undefined when it is none. */
function pixels(text: string): number | undefined {
  const [, number = '', unit = ''] = /^(-?\d*\.?\d+)([a-z%]*)$/.exec(text.slice(0, maxNumber)) ?? []
  if (number === '') return undefined
  return Number(number) * (Object.hasOwn(units, unit) ? (units[unit] ?? 1) : 16)
}
