import { phrases, words } from './split.ts'

/** Cities of the world, in ASCII letters. */
export const CITIES = phrases(`
  London, Paris, Berlin, Madrid, Rome, Vienna, Prague, Warsaw, Budapest, Lisbon, Dublin, Oslo, Stockholm, Copenhagen,
  Helsinki, Athens, Brussels, Amsterdam, Zurich, Geneva, Munich, Hamburg, Cologne, Milan, Naples, Turin, Venice,
  Barcelona, Seville, Valencia, Porto, Lyon, Nice, Bordeaux, Leeds, Bristol, Glasgow, Edinburgh, Cardiff, Belfast,
  Manchester, Liverpool, New York, Boston, Chicago, Houston, Phoenix, Dallas, Austin, Seattle, Portland, Denver, Detroit,
  Atlanta, Miami, Orlando, Tampa, Cleveland, Memphis, Nashville, San Diego, San Jose, San Francisco, Los Angeles,
  Las Vegas, Salt Lake City, Toronto, Montreal, Vancouver, Calgary, Ottawa, Mexico City, Havana, Bogota, Lima, Quito,
  Santiago, Buenos Aires, Sao Paulo, Brasilia, Caracas, Tokyo, Osaka, Kyoto, Seoul, Busan, Beijing, Shanghai, Hong Kong,
  Taipei, Singapore, Bangkok, Hanoi, Manila, Jakarta, Delhi, Mumbai, Chennai, Kolkata, Dhaka, Karachi, Lahore, Tehran,
  Baghdad, Dubai, Doha, Riyadh, Jerusalem, Beirut, Cairo, Tunis, Algiers, Lagos, Accra, Nairobi, Kampala, Dakar,
  Cape Town, Durban, Sydney, Melbourne, Brisbane, Perth, Auckland, Wellington, Moscow, Kiev, Istanbul, Ankara, Sofia,
  Bucharest, Belgrade, Zagreb, Tallinn, Riga, Vilnius, Minsk, Tbilisi, Baku`)

/** Countries with an adjective and an ISO 3166 alpha-2 code. */
export const COUNTRIES: readonly (readonly [name: string, adjective: string, code: string])[] = phrases(`
  France French FR, Germany German DE, Spain Spanish ES, Italy Italian IT, Portugal Portuguese PT, Greece Greek GR,
  Poland Polish PL, Hungary Hungarian HU, Austria Austrian AT, Switzerland Swiss CH, Belgium Belgian BE, Ireland Irish IE,
  Norway Norwegian NO, Sweden Swedish SE, Denmark Danish DK, Finland Finnish FI, Iceland Icelandic IS, Russia Russian RU,
  Ukraine Ukrainian UA, Turkey Turkish TR, Egypt Egyptian EG, Morocco Moroccan MA, Kenya Kenyan KE, Nigeria Nigerian NG,
  Ghana Ghanaian GH, India Indian IN, China Chinese CN, Japan Japanese JP, Korea Korean KR, Vietnam Vietnamese VN,
  Thailand Thai TH, Indonesia Indonesian ID, Australia Australian AU, Canada Canadian CA, Mexico Mexican MX,
  Brazil Brazilian BR, Argentina Argentinian AR, Chile Chilean CL, Peru Peruvian PE, Colombia Colombian CO,
  Cuba Cuban CU, Iran Iranian IR, Iraq Iraqi IQ, Israel Israeli IL, Pakistan Pakistani PK, Nepal Nepalese NP,
  Romania Romanian RO, Bulgaria Bulgarian BG, Serbia Serbian RS, Croatia Croatian HR`).map((line) => {
  const [name = '', adjective = '', code = ''] = line.split(' ')
  return [name, adjective, code]
})

/** First words of street names. */
export const STREETS = words(`
  Oak Maple Cedar Pine Elm Walnut Birch Willow Chestnut Spruce Main Park Lake Hill River Spring Church School Mill High
  Station Bridge Market Victoria Queen King Prince Duke Castle Garden Forest Meadow Valley Sunset Harbour Beach Ocean
  Washington Lincoln Jefferson Madison Franklin Jackson Liberty Union College Grove Rose Cherry Orchard Highland North
  South East West Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth`)

/** Last words of street names with their usual short forms. */
export const STREET_KINDS: readonly (readonly [long: string, short: string])[] = phrases(`
  Street St, Avenue Ave, Road Rd, Boulevard Blvd, Drive Dr, Lane Ln, Court Ct, Place Pl, Square Sq, Terrace Ter,
  Parkway Pkwy, Highway Hwy, Circle Cir`).map((pair) => {
  const [long = '', short = ''] = pair.split(' ')
  return [long, short]
})

/** Rooms and other places that people are in or go to. */
export const SITES = words(`
  house kitchen garden garage bedroom bathroom office school shop market bank station airport harbour library museum
  hospital church hotel restaurant cafe bakery factory farm forest beach lake river mountain village town city park
  bridge street road stadium theatre cinema gym pool warehouse cellar attic balcony desert island valley field castle
  tower tunnel square corner floor hall lobby studio workshop classroom court prison palace temple camp`)
