const pounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' })

const wholePounds = new Intl.NumberFormat('en-GB', {
  style: 'currency',
  currency: 'GBP',
  trailingZeroDisplay: 'stripIfInteger',
})

/** `£1,234`, and `£1,234.50` where there are pence. */
export function price(amount: number): string {
  return wholePounds.format(amount)
}

/** `£1,234.50` for 123450. */
export function inPounds(pence: number): string {
  return pounds.format(pence / 100)
}
