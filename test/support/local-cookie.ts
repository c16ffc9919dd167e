/** The cookie that a browser gets for the link to the mailbox or the phone that a start printed. */
export async function localCookie(link: string): Promise<string> {
  const { status, headers } = await fetch(link, { redirect: 'manual' })
  if (status !== 303) throw new Error(`The link does not open the pages: ${status}.`)
  return headers.get('set-cookie')?.split(';', 1)[0] ?? ''
}

/** The link to the mailbox in what a start has printed, if it is there. */
export function printedMailbox(output: string): string {
  const link = /http:\S+\/local\/mailbox\?key=\S+/.exec(output)?.[0]
  if (link === undefined) throw new Error(`No link was printed:\n${output}`)
  return link
}
