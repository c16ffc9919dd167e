import { createHash } from 'node:crypto'

/** The files of the page, by name. */
export type PageFiles = ReadonlyMap<string, string>

/** The page around its script and its style, whose names have a hash, so that browsers keep them. */
export function pageOf(html: string, script: string, style: string): PageFiles {
  const [js, css] = [`assets/app-${hash(script)}.js`, `assets/app-${hash(style)}.css`]
  const written = html.replaceAll(/%(?:SCRIPT|STYLE)%/g, (found) => (found === '%SCRIPT%' ? js : css))
  return new Map([
    ['/index.html', written],
    [`/${js}`, script],
    [`/${css}`, style],
  ])
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
