const pounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' })

/** `£1,234.50` for 123450. */
export function inPounds(pence: number): string {
  return pounds.format(pence / 100)
}
