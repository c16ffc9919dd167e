import { createHash } from 'node:crypto'

/** The tools that an app for MCP hosts may call. */
export interface AppTools {
  /** Says something to the agent: an action of a surface goes through it. */
  readonly ask: string
  readonly decide: string
}

/** The app that MCP hosts show surfaces in: one HTML page that needs nothing besides itself. */
export interface SurfaceApp {
  readonly html: (tools: AppTools) => Promise<string>
}

const style = `
:root {
  color-scheme: light dark;
  font-family: var(--font-sans, system-ui, sans-serif);
  --a2ui-color-surface: var(--color-background-primary);
  --a2ui-color-on-background: var(--color-text-primary);
  --a2ui-color-border: var(--color-border-primary);
  --a2ui-border-radius: var(--border-radius-md);
}
:root[data-theme='light'] { color-scheme: light; }
:root[data-theme='dark'] { color-scheme: dark; }
body { margin: 0; }
main { display: flex; flex-direction: column; gap: 1rem; padding: 0.5rem; }
main:empty { padding: 0; }
`

/** An app around a script, which is loaded once. */
export function surfaceAppOf(loadScript: () => Promise<string>): SurfaceApp {
  let script: Promise<string> | undefined
  return {
    async html(tools) {
      script ??= loadScript()
      try {
        return page(await script, tools)
      } catch (error) {
        script = undefined
        throw error
      }
    },
  }
}

/** The page. Its policy allows its own script and style and nothing else: no requests, no pictures but in the data. */
function page(given: string, tools: AppTools): string {
  const script = given.replaceAll('</script', String.raw`<\/script`).replaceAll('<!--', String.raw`<\!--`)
  const policy = [
    "default-src 'none'",
    `script-src '${hash(script)}'`,
    `style-src '${hash(style)}'`,
    'img-src data:',
    'media-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Surfaces</title>
<style>${style}</style>
</head>
<body>
<main></main>
<script type="application/json" id="tools">${JSON.stringify(tools).replaceAll('<', String.raw`\u003c`)}</script>
<script>${script}</script>
</body>
</html>
`
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
