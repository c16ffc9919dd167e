const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand in HTML, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.toWellFormed().replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}
