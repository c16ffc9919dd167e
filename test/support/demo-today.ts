/** The day that the examples take for today: their holidays are then those of the specification's samples. */
export const demoToday = '2026-06-06'
