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

/** Whether text of one colour can be read on another. */
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

/** The names of colours in CSS, each followed by its hexadecimal form. */
const listed =
  'aliceblue f0f8ff antiquewhite faebd7 aqua 0ff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000 blanchedalmond ffebcd blue 00f blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 0ff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222 floralwhite fffaf0 forestgreen 228b22 fuchsia f0f gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 0f0 limegreen 32cd32 linen faf0e6 magenta f0f maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd powderblue b0e0e6 purple 800080 rebeccapurple 663399 red f00 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white fff whitesmoke f5f5f5 yellow ff0 yellowgreen 9acd32'

const colourNames: ReadonlyMap<string, string> = new Map(
  [...listed.matchAll(/(\S+) (\S+)/g)].map(([, name = '', hex = '']) => [name, hex]),
)
