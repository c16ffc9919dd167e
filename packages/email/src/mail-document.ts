import { escapeHtml } from './markdown-html.ts'

// The look of the agent's pages. Mail programs that read no style sheets show the light colours, which each element has
// by itself; those that do show dark ones where the reader wants them. The classes are those of readable HTML as well.
const dark = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.beach-page{background:#11151a!important}
.beach-sheet{background:#1c232b!important;border-color:#2b343e!important}
.beach-text{color:#e8ebee!important}
.beach-minor{color:#a3aebb!important}
.beach-card,.beach-line{border-color:#2b343e!important}
.beach-link{color:#74c5e3!important}
.beach-button{border-color:#75808c!important}
.beach-button .beach-link{color:#e8ebee!important}
.beach-primary{background:#74c5e3!important;border-color:#74c5e3!important}
.beach-primary .beach-link{color:#08222d!important}
.beach-code{background:#11151a!important}
}`

const font = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif'
const layout = 'role="presentation" cellpadding="0" cellspacing="0" border="0"'
// A long id would make the sheet wider than a phone. Older mail programs know only the second.
const breaking = 'overflow-wrap:anywhere;word-break:break-word'
const maxWidth = 640

/** A mail as a whole: who writes, and what. Tables hold the width in mail programs that know no other way. */
export function mailDocument(name: string, html: string): string {
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">',
    `<style>${dark}</style></head>`,
    '<body class="beach-page" style="margin:0;padding:0;background:#faf9f6">',
    `<table ${layout} width="100%" class="beach-page" style="background:#faf9f6"><tr><td align="center" style="padding:16px 8px">`,
    `<table ${layout} width="${maxWidth}" style="width:100%;max-width:${maxWidth}px">`,
    `<tr><td class="beach-minor" style="padding:0 4px 10px;${font};font-size:15px;font-weight:600;color:#565f6b">${escapeHtml(name)}</td></tr>`,
    `<tr><td class="beach-sheet beach-text" style="padding:18px 16px;border:1px solid #e4e0d6;border-radius:14px;background:#ffffff;${font};font-size:15px;line-height:1.5;color:#1b2430;${breaking}">`,
    html,
    '</td></tr></table></td></tr></table></body></html>',
  ].join('')
}

/** A link as a button, like those of surfaces. */
export function linkButton(label: string, url: string): string {
  const link = 'display:inline-block;padding:8px 16px;font-weight:600;text-decoration:none;color:#ffffff'
  return [
    `<table ${layout} style="border-collapse:separate;margin:0 0 12px"><tr>`,
    '<td class="beach-primary" style="background:#0c6484;border:1px solid #0c6484;border-radius:20px;mso-padding-alt:8px 16px">',
    `<a class="beach-link" style="${link}" href="${escapeHtml(url)}">${escapeHtml(label)}</a></td></tr></table>`,
  ].join('')
}
