import type { Destination } from '../destination.ts'

export const reykjavik: Destination = {
  id: 'reykjavik',
  airport: {
    code: 'KEF',
    name: 'Reykjavik',
    country: 'Iceland',
    aliases: ['Reykjavík', 'Keflavík', 'Ísland'],
    zone: 'Atlantic/Reykjavik',
    latitude: 63.99,
    longitude: -22.61,
  },
  hotels: [
    {
      hotelId: 'reykjavik-harbour-light',
      name: 'Harbour Light Hotel',
      area: 'Old Harbour',
      stars: 4,
      basePrice: 192,
      board: 'bed and breakfast',
      rating: 8.9,
    },
    {
      hotelId: 'reykjavik-laugavegur',
      name: 'Laugavegur Guesthouse',
      area: 'City centre',
      stars: 3,
      basePrice: 124,
      board: 'room only',
      rating: 8.5,
    },
    {
      hotelId: 'reykjavik-lava-lodge',
      name: 'Lava Lodge',
      area: 'Grindavík road',
      stars: 5,
      basePrice: 345,
      board: 'half board',
      rating: 9.3,
    },
  ],
  activities: [
    {
      activityId: 'reykjavik-golden-circle',
      name: 'Golden Circle in a small group',
      meetingPoint: 'Hallgrímskirkja',
      startsAt: '08:30',
      minutes: 510,
      pricePerPerson: 84,
    },
    {
      activityId: 'reykjavik-whales',
      name: 'Whale watching from the Old Harbour',
      meetingPoint: 'Ægisgarður pier',
      startsAt: '13:00',
      minutes: 180,
      pricePerPerson: 78,
    },
    {
      activityId: 'reykjavik-hot-spring',
      name: 'Geothermal lagoon with transfer',
      meetingPoint: 'BSÍ bus terminal',
      startsAt: '17:00',
      minutes: 240,
      pricePerPerson: 96,
    },
  ],
  research: {
    culture: {
      title: 'Culture in Reykjavik',
      text: 'The world’s northernmost capital is small, literate and fond of music: on any evening somebody is playing somewhere near Laugavegur. The sagas are not museum pieces here, since people still read them in a language that has changed little in eight centuries. Life happens in the geothermal pools, where everybody from ministers to students sits in hot water and talks. Skyr, lamb and very fresh fish are the staples; a hot dog from the harbour stand is a rite.',
      source: { title: 'Reykjavik, a town of readers', url: 'https://example.com/guides/reykjavik/culture' },
    },
    logistics: {
      title: 'Getting to and around Reykjavik',
      text: 'Flights land at Keflavík, forty-five minutes away by the buses that wait for every arrival. The centre is walkable; for anything beyond it hire a car or join a tour, and check the road and weather services first, because both change within the hour. Cards are taken everywhere, and prices are among Europe’s highest. Iceland keeps Greenwich time all year: June hardly gets dark, and December has some four hours of light.',
      source: { title: 'Iceland practicalities', url: 'https://example.com/guides/reykjavik/logistics' },
    },
    activities: {
      title: 'Things to do around Reykjavik',
      text: 'The Golden Circle joins the rift valley of Þingvellir, the spouting Strokkur and the double fall of Gullfoss in one day. Boats go out to minke and humpback whales from the Old Harbour, most reliably between April and September. From late September to March, clear nights bring northern lights, best away from the street lamps. In town, go up the tower of Hallgrímskirkja and warm up again at the Sundhöllin pool.',
      source: { title: 'Day trips from Reykjavik', url: 'https://example.com/guides/reykjavik/activities' },
    },
    itinerary: {
      title: 'Four days from Reykjavik',
      text: 'Arrive, swim, and walk the harbour to Harpa and the Sun Voyager on the first day. Day two is the Golden Circle, with a soak on the way back. On day three follow the south coast past Seljalandsfoss and Skógafoss to the black beach at Vík, keeping well back from its waves. Leave the fourth for whales, the national museum and a lagoon on the way to the airport.',
      source: { title: 'Iceland in four days', url: 'https://example.com/guides/reykjavik/itinerary' },
    },
  },
}
