import { defineActor } from '@cool-ai/beach'

/** An agent need not have a model: this one is a function. */
export const weather = defineActor(async ({ text, respond }) => {
  const place = /in (\p{L}+)/iu.exec(text)?.[1]
  if (place === undefined) {
    await respond({ parts: [{ partType: 'clarify', text: 'For which place?' }], turnState: 'clarifying' })
    return
  }
  const forecast = { place, sky: place.length % 2 === 0 ? 'sunny' : 'cloudy', celsius: 14 + place.length }
  await respond({
    parts: [
      { partType: 'response', text: `Tomorrow in ${place}: ${forecast.sky}, ${forecast.celsius} °C.` },
      { partType: 'domain-data', data: { forecast } },
    ],
    turnState: 'complete',
  })
})
