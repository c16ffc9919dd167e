/** @jsxImportSource react */

const paths = {
  cup: 'M4 8h12v5a5 5 0 0 1-5 5H9a5 5 0 0 1-5-5zM16 10h1.500a2.500 2.500 0 0 1 0 5H15.500M8 5c-1-1 1-1.500 0-3M12 5c-1-1 1-1.500 0-3',
  back: 'M14 6l-6 6 6 6',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  phone: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2',
  theme: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
  send: 'M12 19V5M6 11l6-6 6 6',
  check: 'M5 12l5 5 9-10',
  bin: 'M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12',
} as const

export type GlyphName = keyof typeof paths

/** A small drawing that says what a button does; it has a label besides. */
export function Glyph({ name }: { readonly name: GlyphName }) {
  return (
    <svg className="glyph" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
