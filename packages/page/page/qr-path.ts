import { generate } from 'lean-qr'

/** Modules of white around the code, which readers need to find it. */
const quiet = 4

/** A QR code as the path of an SVG, in modules. */
export function qrPath(text: string): { readonly size: number; readonly path: string } {
  const code = generate(text)
  const squares: string[] = []
  for (let y = 0; y < code.size; y++) {
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) squares.push(`M${x + quiet} ${y + quiet}h1v1h-1z`)
  }
  return { size: code.size + 2 * quiet, path: squares.join('') }
}
