import { colourNames } from './colour-names.ts'

/** A colour: red, green and blue from 0 to 255, and how opaque it is from 0 to 1. */
export interface Colour {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly alpha: number
}

export const white: Colour = { red: 255, green: 255, blue: 255, alpha: 1 }
export const black: Colour = { red: 0, green: 0, blue: 0, alpha: 1 }

const minContrast = 1.35

/** The colour of a text such as `#fff`, `rgb(0 0 0 / 50%)` or `white`; undefined when it is not known here. */
export function colourOf(text: string): Colour | undefined {
  const plain = text.trim()
  if (plain === 'transparent') return { ...white, alpha: 0 }
  const hex = /^#?([0-9a-f]{3,8})$/.exec(colourNames.get(plain) ?? plain)?.[1]
  if (hex !== undefined) return hexColour(hex)
  const [, kind, inside = ''] = /^(rgb|hsl)a?\(([^)]{1,100})\)$/.exec(plain) ?? []
  const [one = '', two = '', three = '', four = '1'] = inside.split(/[\s,/]+/).filter((piece) => piece !== '')
  if (kind === undefined || three === '') return undefined
  const alpha = portion(four, 1)
  if (kind === 'rgb') return { red: portion(one, 255), green: portion(two, 255), blue: portion(three, 255), alpha }
  return hslColour(Number.parseFloat(one), Number.parseFloat(two) / 100, Number.parseFloat(three) / 100, alpha)
}

/** Whether words of one colour can be read on another. */
export function standsOut(words: Colour, ground: Colour): boolean {
  const over = (front: number, back: number) => front * words.alpha + back * (1 - words.alpha)
  const seen = {
    red: over(words.red, ground.red),
    green: over(words.green, ground.green),
    blue: over(words.blue, ground.blue),
    alpha: 1,
  }
  const [bright = 0, dark = 0] = [luminance(seen), luminance(ground)].toSorted((one, other) => other - one)
  return (bright + 0.05) / (dark + 0.05) >= minContrast
}

/** A number, or a percentage of the whole. */
function portion(text: string, whole: number): number {
  const value = Number.parseFloat(text)
  const plain = text.endsWith('%') ? (value / 100) * whole : value
  return Number.isNaN(plain) ? 0 : Math.min(whole, Math.max(0, plain))
}

function hexColour(hex: string): Colour | undefined {
  if (![3, 4, 6, 8].includes(hex.length)) return undefined
  const long = hex.length <= 4 ? hex.replaceAll(/./g, '$&$&') : hex
  const at = (place: number) => Number.parseInt(long.slice(place, place + 2), 16)
  return { red: at(0), green: at(2), blue: at(4), alpha: long.length === 8 ? at(6) / 255 : 1 }
}

function hslColour(hue: number, saturation: number, lightness: number, alpha: number): Colour | undefined {
  if ([hue, saturation, lightness].some((value) => Number.isNaN(value))) return undefined
  const channel = (shift: number) => {
    const place = (shift + hue / 30) % 12
    const spread = saturation * Math.min(lightness, 1 - lightness)
    return 255 * (lightness - spread * Math.max(-1, Math.min(place - 3, 9 - place, 1)))
  }
  return { red: channel(0), green: channel(8), blue: channel(4), alpha }
}

function luminance({ red, green, blue }: Colour): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((value) => {
    const part = value / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
