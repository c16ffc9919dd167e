import { expect, test } from 'vitest'
import { contrast } from '../../../../test/support/colour.ts'
import { brandColours } from './brand-colour.ts'

test.each(['#000000', '#ffffff', '#FFD54F', '#0B5FAE', '#777777', '#ff0000', '#00BFFF'])(
  'what is written with %s can be read',
  (colour) => {
    const made = brandColours(colour)
    expect(made?.ground).toBe(colour)
    expect(contrast(rgb(made?.onGround), rgb(colour))).toBeGreaterThanOrEqual(4.5)
    expect(contrast(rgb(made?.textOnLight), 'rgb(255, 255, 255)')).toBeGreaterThanOrEqual(4.5)
    expect(contrast(rgb(made?.textOnDark), 'rgb(30, 34, 40)')).toBeGreaterThanOrEqual(4.5)
  },
)

test.each([undefined, 'red', '#fff', '#12345g', 'url(https://evil.example)', 7])('%s is no colour', (colour) => {
  expect(brandColours(colour)).toBeUndefined()
})

function rgb(hex = ''): string {
  const [red, green, blue] = [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16))
  return `rgb(${red}, ${green}, ${blue})`
}
