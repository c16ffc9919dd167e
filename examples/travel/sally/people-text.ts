/** `2 people`, or `1 person`. */
export function peopleText(count: number): string {
  return count === 1 ? '1 person' : `${count} people`
}
