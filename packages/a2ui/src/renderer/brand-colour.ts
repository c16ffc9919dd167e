/** How a brand’s colour is used: as a ground with text on it, and as text on light and on dark grounds. */
export interface BrandColours {
  readonly ground: string
  readonly onGround: string
  readonly textOnLight: string
  readonly textOnDark: string
}

type Colour = readonly [red: number, green: number, blue: number]

const white: Colour = [255, 255, 255]
const black: Colour = [0, 0, 0]
// What text stands on by default, in the two schemes.
const dark: Colour = [30, 34, 40]

/** Makes colours that can be read from a colour such as `#00BFFF`; nothing when it is none. */
export function brandColours(colour: unknown): BrandColours | undefined {
  if (typeof colour !== 'string' || !/^#[0-9a-f]{6}$/i.test(colour)) return undefined
  const brand: Colour = [channel(colour, 1), channel(colour, 3), channel(colour, 5)]
  return {
    ground: colour,
    onGround: contrast(brand, white) >= contrast(brand, black) ? '#ffffff' : '#000000',
    textOnLight: readable(brand, white, black),
    textOnDark: readable(brand, dark, white),
  }
}

/** The colour, mixed with as much of another as it takes to be read on a ground. */
function readable(colour: Colour, ground: Colour, towards: Colour): string {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(colour, towards, share)
    if (contrast(mixed, ground) >= 4.6) return hex(mixed)
  }
  return hex(towards)
}

function mix(one: Colour, other: Colour, share: number): Colour {
  const at = (index: 0 | 1 | 2) => Math.round(one[index] * (1 - share) + other[index] * share)
  return [at(0), at(1), at(2)]
}

/** The contrast of two colours as WCAG defines it, from 1 to 21. */
function contrast(one: Colour, other: Colour): number {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (more + 0.05) / (less + 0.05)
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channel(colour: string, start: number): number {
  return Number.parseInt(colour.slice(start, start + 2), 16)
}

function hex(colour: Colour): string {
  return `#${colour.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
