/** An address in comparable form: one local part, one domain, lower case. Nothing quoted, nothing international. */
const addrSpec =
  /^[a-z0-9!#$%&'*/=?^_`{|}~+-]+(?:\.[a-z0-9!#$%&'*/=?^_`{|}~+-]+)*@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

const maxLocalLength = 64
const maxAddressLength = 254

/** The address in comparable form; undefined when it is not one that is accepted here. */
export function mailAddress(text: string): string | undefined {
  const address = text.trim().toLowerCase()
  if (address.length > maxAddressLength || address.indexOf('@') > maxLocalLength || !addrSpec.test(address))
    return undefined
  return address
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}

/** `agent@host` with a tag: `agent+tag@host`. */
export function plusAddress(address: string, tag: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at)}+${tag}${address.slice(at)}`
}

/** The tag of one of our addresses, empty for the plain one; undefined for an address that is not ours. */
export function tagOf(ours: string, address: string): string | undefined {
  if (address === ours) return ''
  const at = ours.lastIndexOf('@')
  const start = `${ours.slice(0, at)}+`
  const end = ours.slice(at)
  const isOurs = address.startsWith(start) && address.endsWith(end) && address.length > start.length + end.length
  return isOurs ? address.slice(start.length, -end.length) : undefined
}
