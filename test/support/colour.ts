/** How light a computed colour such as `rgb(11, 110, 153)` is to the eye, from 0 to 1 (as WCAG defines it). */
export function luminance(colour: string): number {
  const match = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(colour)
  if (match === null) throw new Error(`“${colour}” is no opaque colour.`)
  const [red = 0, green = 0, blue = 0] = match.slice(1).map((channel) => {
    const value = Number(channel) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The contrast of two colours, from 1 to 21; small text needs 4.5. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}
