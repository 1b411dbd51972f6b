import { between, drawnTask, happens, oneOf, two, type DrawnTask } from '../drawn-task.ts'

const FIRST = ['Ada', 'Ben', 'Cleo', 'Dev', 'Eva', 'Finn', 'Gia', 'Hugo', 'Ines', 'Jon']
const LAST = ['Byron', 'Okri', 'Marsh', 'Rao', 'Lind', 'Hale', 'Russo', 'Baas', 'Prat', 'Vik']
const GOODS = [
  'oak table',
  'wool rug',
  'desk lamp',
  'steel shelf',
  'linen sheet',
  'clay pot',
  'brass hook',
  'cork board',
]
const TOWNS = ['Graz', 'Leeds', 'Porto', 'Oslo', 'Lyon', 'Turin', 'Ghent', 'Riga']

/** Texts that are written from records. */
export const GENERATION: readonly DrawnTask[] = [
  drawnTask(
    'generation',
    'greeting of a letter',
    (random) => ({ first: oneOf(random, FIRST), last: oneOf(random, LAST), formal: happens(random, 50) }),
    ({ first, last, formal }) => (formal ? `Dear ${first} ${last},` : `Hi ${first}!`),
  ),
  drawnTask(
    'generation',
    'line of an order',
    (random) => ({
      item: oneOf(random, GOODS),
      count: between(random, 1, 30),
      price: between(random, 100, 9999) / 100,
    }),
    ({ item, count, price }) => `${count} x ${item} at ${price.toFixed(2)}`,
  ),
  drawnTask(
    'generation',
    'subject of a reminder',
    (random) => ({ number: between(random, 1000, 9999), days: between(random, 1, 60) }),
    ({ number, days }) => `Invoice ${number} is due in ${days} ${days === 1 ? 'day' : 'days'}`,
  ),
  drawnTask(
    'generation',
    'address on an envelope',
    (random) => ({
      first: oneOf(random, FIRST),
      last: oneOf(random, LAST),
      town: oneOf(random, TOWNS),
      zip: between(random, 1000, 9999),
    }),
    ({ first, last, town, zip }) => `${last.toUpperCase()} ${first}, ${zip} ${town}`,
  ),
  drawnTask(
    'generation',
    'time of a train',
    (random) => ({ hour: between(random, 0, 23), minute: between(random, 0, 59), town: oneOf(random, TOWNS) }),
    ({ hour, minute, town }) => `${two(hour)}:${two(minute)} to ${town}`,
  ),
  drawnTask(
    'generation',
    'title of an article',
    (random) =>
      `${oneOf(random, ['how to clean', 'where to buy', 'why we love', 'when to mend'])} a ${oneOf(random, GOODS)} in ${oneOf(random, TOWNS).toLowerCase()}`,
    (text) => text.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()),
  ),
  drawnTask(
    'generation',
    'initials with the year',
    (random) => ({ name: `${oneOf(random, FIRST)} ${oneOf(random, LAST)}`, year: between(random, 1950, 2010) }),
    ({ name, year }) =>
      `${name
        .split(' ')
        .map((part) => part.charAt(0))
        .join('.')}. (${year})`,
  ),
  drawnTask(
    'generation',
    'sentence on the weather',
    (random) => ({ town: oneOf(random, TOWNS), degrees: between(random, -15, 38), rain: happens(random, 40) }),
    ({ town, degrees, rain }) =>
      `${town}: ${degrees} degrees, ${rain ? 'take an umbrella' : degrees > 25 ? 'stay in the shade' : 'no rain'}`,
  ),
]
