const links = /(https?:\/\/[^\s<>"]+)/
// As on WhatsApp, marks within a word are none.
const linksAndMarks = /(https?:\/\/[^\s<>"]+|(?<!\w)\*[^*\n]+\*(?!\w)|(?<!\w)_[^_\n]+_(?!\w))/

/** Text as a phone shows it, with links that can be followed; on WhatsApp also `*strong*` and `_emphasised_`. */
export function Formatted({ text, hasMarks }: { readonly text: string; readonly hasMarks: boolean }) {
  return (
    <>
      {text.split(hasMarks ? linksAndMarks : links).map((piece, index) => {
        // Every second piece is one that was split at.
        if (index % 2 === 0) return piece
        if (piece.startsWith('*')) return <strong key={index}>{piece.slice(1, -1)}</strong>
        if (piece.startsWith('_')) return <em key={index}>{piece.slice(1, -1)}</em>
        return (
          <a key={index} href={piece} target="_blank" rel="noopener noreferrer">
            {piece}
          </a>
        )
      })}
    </>
  )
}
