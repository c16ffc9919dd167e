import type { ComponentChildren } from 'preact'
import { safeLink } from '@cool-ai/beach-client/view'

/** A link to another site, if it is one that may be followed; its text alone otherwise. */
export function OutLink({ url, children }: { readonly url: string | undefined; readonly children: ComponentChildren }) {
  const target = safeLink(url, location.href)
  if (target === undefined) return <>{children}</>
  return (
    <a href={target.href} title={target.href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
