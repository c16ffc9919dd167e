import PostalMime from 'postal-mime'

interface TextNode {
  readonly contentType: {
    readonly parsed: { readonly value?: string; readonly params?: Readonly<Record<string, string>> }
  }
  readonly contentDisposition: {
    readonly parsed: { readonly value?: string; readonly params?: Readonly<Record<string, string>> }
  }
}

/** Reads mails; a text that is a file, by its name or because it says so, is an attachment and no part of what is said. */
export class BodyParser extends PostalMime {
  isInlineTextNode({ contentType, contentDisposition }: TextNode): boolean {
    const { value: disposition, params } = contentDisposition.parsed
    if (disposition === 'attachment' || params?.filename !== undefined) return false
    if (contentType.parsed.params?.name !== undefined) return false
    return contentType.parsed.value === 'text/html' || contentType.parsed.value === 'text/plain'
  }
}
