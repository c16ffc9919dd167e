import type { PageLink } from '../src/page-about.ts'
import { Icon, type IconName } from './icon.tsx'
import { useNews } from './use-news.ts'

const icons: Readonly<Record<string, IconName>> = { Mailbox: 'mail', Phone: 'device', 'Work chat': 'hash' }

/** Pages on this machine on which others than the user are played, with how much is new there. */
export function NearbyLinks({ links }: { readonly links: readonly PageLink[] }) {
  if (links.length === 0) return null
  return (
    <nav aria-label="On this machine">
      <h2>On this machine</h2>
      <ul class="entries">
        {links.map((link) => (
          <NearbyLink key={link.url} {...link} />
        ))}
      </ul>
    </nav>
  )
}

function NearbyLink({ label, url, news: address }: PageLink) {
  const news = useNews(address)
  const icon = <Icon name={icons[label] ?? 'right'} />
  if (news !== undefined && 'isOpen' in news) {
    return (
      <li class="entry closed" title="Open the link that the agent printed when it started.">
        {icon}
        {label}
        <span class="note">link in terminal</span>
      </li>
    )
  }
  const count = news?.count ?? 0
  return (
    <li class="entry">
      {/* In a tab of its own, so that both can be seen. */}
      <a href={url} target="_blank" rel="noopener">
        {icon}
        {label}
        {count > 0 && (
          <span class="count">
            {count}
            <span class="hidden"> new</span>
          </span>
        )}
      </a>
    </li>
  )
}
