import type { ArtifactLinkOf } from '@cool-ai/beach-core'

/** Path-only links: the page's host may differ from `publicUrl`. */
export function pathOnly(link: ArtifactLinkOf): ArtifactLinkOf {
  return async (...args) => {
    const url = await link(...args)
    if (url === undefined || url.startsWith('/')) return url
    const { pathname, search } = new URL(url)
    return `${pathname}${search}`
  }
}
