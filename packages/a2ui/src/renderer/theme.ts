// The colours and sizes of surfaces. A page restyles them by setting the `--a2ui-…` properties on any element around
// them; the `--_…` ones are ours. Light and dark follow the page’s `color-scheme`, so that a surface never differs from
// what it stands on. `data-theme` around it decides for itself; on the surface itself it brings a ground along.
const theme = `
beach-surface {
  --_ground: var(--a2ui-color-background, transparent);
  --_text: var(--a2ui-color-on-background, light-dark(#1c2127, #e8eaed));
  --_card: var(--a2ui-color-surface, light-dark(#ffffff, #1e2228));
  --_muted: var(--a2ui-text-caption-color, light-dark(#59626d, #a4adb8));
  --_line: var(--a2ui-color-border, light-dark(#dde1e6, #363c45));
  --_edge: var(--a2ui-color-input-border, light-dark(#848d98, #7f8995));
  --_input: var(--a2ui-color-input, light-dark(#ffffff, #15181d));
  --_on-input: var(--a2ui-color-on-input, var(--_text));
  --_soft: var(--a2ui-color-secondary, light-dark(#eef1f4, #2b313a));
  --_on-soft: var(--a2ui-color-on-secondary, var(--_text));
  --_accent: var(--a2ui-color-primary, var(--_brand, light-dark(#0b5fae, #6fb3f2)));
  --_on-accent: var(--a2ui-color-on-primary, var(--_on-brand, light-dark(#ffffff, #06213c)));
  --_accent-text: var(--a2ui-color-primary-text, light-dark(var(--_brand-on-light, #0b5fae), var(--_brand-on-dark, #7dbbf5)));
  --_problem: var(--a2ui-color-error, light-dark(#b3261e, #ff9b93));
  --_focus: var(--a2ui-color-focus, light-dark(#0b5fae, #8fc6ff));
  --_radius: var(--a2ui-border-radius, 0.5rem);
  --_gap: var(--a2ui-spacing-m, 0.5rem);
  --_shadow: var(--a2ui-card-box-shadow, 0 1px 2px light-dark(rgb(16 24 40 / 0.06), rgb(0 0 0 / 0.4)));
  --_stroke: 1px;
  --_rem: var(--a2ui-rem, 1rem);
  display: block;
  container-type: inline-size;
}
[data-theme='light'] beach-surface, beach-surface[data-theme='light'] { color-scheme: light; }
[data-theme='dark'] beach-surface, beach-surface[data-theme='dark'] { color-scheme: dark; }
beach-surface[data-theme] {
  --_ground: var(--a2ui-color-background, light-dark(#f6f7f9, #12151a));
  padding: 0.75rem;
  border-radius: 0.75rem;
}
[data-theme='contrast'] beach-surface, beach-surface[data-theme='contrast'] { ${contrastTokens()} }
@media (prefers-contrast: more) { beach-surface { ${contrastTokens()} } }
.beach-a2ui-announcer {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
`

/** Black and white, strong lines, nothing that only a colour says. */
function contrastTokens(): string {
  return `
  --_text: light-dark(#000000, #ffffff);
  --_card: light-dark(#ffffff, #000000);
  --_muted: light-dark(#000000, #ffffff);
  --_line: light-dark(#000000, #ffffff);
  --_edge: light-dark(#000000, #ffffff);
  --_input: light-dark(#ffffff, #000000);
  --_on-input: light-dark(#000000, #ffffff);
  --_soft: light-dark(#ffffff, #000000);
  --_on-soft: light-dark(#000000, #ffffff);
  --_accent: light-dark(#000000, #ffffff);
  --_on-accent: light-dark(#ffffff, #000000);
  --_accent-text: light-dark(#00349a, #8fd0ff);
  --_problem: light-dark(#8c0000, #ffb4ad);
  --_focus: light-dark(#00349a, #ffe14d);
  --_shadow: none;
  --_stroke: 2px;
  `
}

const themeSheet = sheetOf(inOwnRem(theme))

/** Gives the document, or the tree that a surface stands in, the colours and sizes of surfaces. */
export function adoptTheme(root: Document | ShadowRoot): void {
  const sheet = themeSheet()
  // First, so that whatever the page says comes later and wins.
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [sheet, ...root.adoptedStyleSheets]
}

/**
 * Sizes by `--a2ui-rem` in place of the page's `rem`: what embeds surfaces in pages of others has a size of its own.
 * Conditions of `@` rules take no variables.
 */
export function inOwnRem(text: string): string {
  return text.replaceAll(/@[^{]*\{|--_rem:[^;]*|([\d.]+)rem\b/g, (found: string, size?: string) =>
    size === undefined ? found : `calc(${size} * var(--_rem))`,
  )
}

/** A style sheet that is made when it is first needed: policies allow those, as opposed to styles written into the page. */
export function sheetOf(text: string): () => CSSStyleSheet {
  let sheet: CSSStyleSheet | undefined
  return () => {
    if (sheet === undefined) {
      sheet = new CSSStyleSheet()
      sheet.replaceSync(text)
    }
    return sheet
  }
}
