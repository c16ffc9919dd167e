/** An airline, as its flight numbers and fares show it. */
export interface Airline {
  readonly name: string
  /** What flight numbers start with, with the space where the airline writes one. */
  readonly prefix: string
  /** Where numbering starts: every pair of airports takes two numbers, one for each way. */
  readonly firstNumber: number
  /** Its fares in relation to others. */
  readonly fareFactor: number
}

const easyJet: Airline = { name: 'easyJet', prefix: 'EJ', firstNumber: 8001, fareFactor: 0.72 }
const jet2: Airline = { name: 'Jet2', prefix: 'LS ', firstNumber: 1201, fareFactor: 0.85 }
const britishAirways: Airline = {
  name: 'British Airways',
  prefix: 'BA ',
  firstNumber: 2601,
  fareFactor: 1.4,
}

const aegean: Airline = { name: 'Aegean Airlines', prefix: 'A3 ', firstNumber: 601, fareFactor: 1.1 }
const vueling: Airline = { name: 'Vueling', prefix: 'VY ', firstNumber: 7821, fareFactor: 0.8 }

/** The airline of a destination's own country, or the one that flies there most from elsewhere. */
const locals: Readonly<Record<string, Airline>> = {
  CFU: aegean,
  ATH: aegean,
  FCO: { name: 'ITA Airways', prefix: 'AZ ', firstNumber: 201, fareFactor: 1.15 },
  LIS: { name: 'TAP Air Portugal', prefix: 'TP ', firstNumber: 1331, fareFactor: 1.05 },
  BCN: vueling,
  TFS: vueling,
  DBV: { name: 'Croatia Airlines', prefix: 'OU ', firstNumber: 481, fareFactor: 1.1 },
  KEF: { name: 'Icelandair', prefix: 'FI ', firstNumber: 451, fareFactor: 1.2 },
}

/** Who flies between an airport of the United Kingdom and a destination, and with how many stops. */
export function carriersBetween(
  origin: string,
  destination: string,
): readonly { readonly airline: Airline; readonly stops: number }[] {
  const local = locals[destination] ?? britishAirways
  switch (origin) {
    case 'LGW':
      return [flying(easyJet, 0), flying(britishAirways, 0), flying(local, 1)]
    case 'LHR':
      return [flying(britishAirways, 0), flying(local, 0)]
    case 'MAN':
      return [flying(jet2, 0), flying(easyJet, 0), flying(local, 1)]
    default:
      return [flying(easyJet, 0), flying(jet2, 0), flying(britishAirways, 1)]
  }
}

function flying(airline: Airline, stops: number) {
  return { airline, stops }
}
