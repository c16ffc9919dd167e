/** A name of programs as people would write it: `departureTime` and `departure_time` become `Departure time`. */
export function inWords(name: string): string {
  const parted = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.-]+/g, ' ')
    .trim()
  const words = parted.split(/\s+/).map((word) => (/^[A-Z\d]{2,}$/.test(word) ? word : word.toLowerCase()))
  const text = words.join(' ')
  return text === '' ? name : `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
