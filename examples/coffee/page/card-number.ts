/** What of a card leaves the page: enough to know it by, not enough to pay with it. */
export interface CardToken {
  readonly brand: 'Visa' | 'Mastercard' | 'American Express'
  readonly last4: string
  readonly expires: string
}

/** A card as it was typed; a sentence when it cannot be one. */
export function cardToken(number: string, expires: string): CardToken | string {
  const digits = number.replaceAll(/[\s-]/g, '')
  const brand = brandOf(digits)
  if (!/^\d{13,19}$/.test(digits) || brand === undefined || !isConsistent(digits)) {
    return 'This is not a card number. Check its digits.'
  }
  const [, month, year] = /^(0?[1-9]|1[0-2])\s*\/?\s*(?:20)?(\d{2})$/.exec(expires.trim()) ?? []
  if (month === undefined || year === undefined) return 'Write the expiry date as 09/29.'
  return { brand, last4: digits.slice(-4), expires: `${month.padStart(2, '0')}/${year}` }
}

function brandOf(digits: string): CardToken['brand'] | undefined {
  if (digits.startsWith('4')) return 'Visa'
  if (/^(?:5[1-5]|2[2-7])/.test(digits)) return 'Mastercard'
  return /^3[47]/.test(digits) ? 'American Express' : undefined
}

/** The check digit that every card number ends with fits the others. */
function isConsistent(digits: string): boolean {
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, digit, place) => {
      const doubled = Number(digit) * (place % 2 === 0 ? 1 : 2)
      return total + (doubled > 9 ? doubled - 9 : doubled)
    }, 0)
  return sum % 10 === 0
}
