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
