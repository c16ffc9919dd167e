/** Adds up amounts in cents, so that 0.1 and 0.2 make 0.3. */
export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + Math.round(amount * 100), 0) / 100
}

export function times(amount: number, count: number): number {
  return (Math.round(amount * 100) * count) / 100
}

/** An amount as people read it. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`
}
