import { describe, expect, test } from 'vitest'
import { countriesOf, numberCheck } from './phone-numbers.ts'

describe('a number is written to', () => {
  const check = numberCheck({}, countriesOf(['+491701234567']))

  test.each([
    ['of the same country', '+4915112345678', undefined],
    ['of another country', '+12025550123', 'Numbers of US'],
    ['of an island with the code of another country', '+18765551234', 'Numbers of JM'],
    ['of a premium range', '+33899123456', 'PREMIUM_RATE'],
    ['of a premium range that is written oddly', '+4990012345678', 'not assigned by any country'],
    ['whose cost is shared', '+491801234567', 'SHARED_COST'],
    ['of a satellite network', '+870773111632', 'of no country'],
    ['of another satellite network', '+8816123456', 'not assigned'],
    ['that is a short code', '12345', 'short codes'],
    ['that is a name', 'BANK', 'short codes'],
  ])('%s', (_, phone, reason) => {
    const refused = check(phone)
    if (reason === undefined) expect(refused).toBeUndefined()
    else expect(refused).toContain(reason)
  })

  test('of the countries that are given, of all, or as the application says', () => {
    expect(numberCheck({ countries: ['US'] }, ['DE'])('+12025550123')).toBeUndefined()
    expect(numberCheck({ countries: 'all' }, ['DE'])('+12025550123')).toBeUndefined()
    expect(numberCheck({ countries: 'all' }, ['DE'])('+19005551234')).toContain('PREMIUM_RATE')
    expect(numberCheck({ mayText: (phone) => phone === '12345' }, ['DE'])('12345')).toBeUndefined()
    expect(() => numberCheck({ countries: ['XX'] }, [])).toThrow("'XX' is not a country")
  })

  test('of no country at all before it is known of which', () => {
    expect(() => numberCheck({}, countriesOf(['12345']))).toThrow('Give `countries`')
    expect(numberCheck({ mayText: () => true }, [])('+12025550123')).toBeUndefined()
  })
})
