import { capitalised, digits } from '../language/noise.ts'
import type { Random } from '../random.ts'
import { FAMILY_NAMES, GIVEN_NAMES, JOBS, TITLES } from '../words/people.ts'
import { CITIES, COUNTRIES, STREETS, STREET_KINDS } from '../words/places.ts'
import { cardinal } from '../language/numbers.ts'
import { fixed, mapped, type TaskFamily } from './task.ts'

interface Person {
  readonly given: string
  readonly middle: string
  readonly family: string
}

const person = (random: Random): Person => ({
  given: random.pick(GIVEN_NAMES),
  middle: random.chance(0.25) ? random.pick(GIVEN_NAMES) : '',
  family: random.pick(FAMILY_NAMES),
})
const full = ({ given, middle, family }: Person): string =>
  [given, middle, family].filter((part) => part !== '').join(' ')
const initial = (name: string): string => name.slice(0, 1)
const DOMAINS = ['mail.com', 'example.org', 'post.net', 'work.co', 'shop.io']

const NAME_WAYS: readonly { readonly instructions: readonly string[]; readonly output: (person: Person) => string }[] =
  [
    {
      instructions: ['Last name first', 'Write as Last, First', 'surname, given name'],
      output: ({ given, family }) => `${family}, ${given}`,
    },
    { instructions: ['First name', 'given name only'], output: ({ given }) => given },
    { instructions: ['Last name', 'surname only', 'family name'], output: ({ family }) => family },
    { instructions: ['Initials of the person'], output: (p) => full(p).split(' ').map(initial).join('') },
    {
      instructions: ['Initials with dots'],
      output: (p) =>
        full(p)
          .split(' ')
          .map((part) => `${initial(part)}.`)
          .join(''),
    },
    {
      instructions: ['Initial and surname', 'short name'],
      output: ({ given, family }) => `${initial(given)}. ${family}`,
    },
    { instructions: ['Surname in capitals'], output: (p) => full({ ...p, family: p.family.toUpperCase() }) },
    {
      instructions: ['User name: initial and surname'],
      output: ({ given, family }) => (initial(given) + family).toLowerCase(),
    },
    {
      instructions: ['User name: given name dot surname'],
      output: ({ given, family }) => `${given}.${family}`.toLowerCase(),
    },
    { instructions: ['Name without the middle name'], output: ({ given, family }) => `${given} ${family}` },
  ]

const street = (
  random: Random,
): { readonly number: number; readonly name: string; readonly kind: readonly [string, string] } => ({
  number: random.between(1, 999),
  name: random.pick(STREETS),
  kind: random.pick(STREET_KINDS),
})

/** Tasks on people and addresses. */
export const PEOPLE_FAMILIES: readonly TaskFamily[] = [
  mapped('forms of a name', person, full, NAME_WAYS),
  fixed('names turned round', ['Write given name first', 'First Last', 'normal order of the name'], (random) => {
    const { given, family } = person(random)
    return { input: `${family}${random.pick([', ', ',', ' , '])}${given}`, output: `${given} ${family}` }
  }),
  fixed('messy names', ['Write as First Last', 'normalise the name'], (random) => {
    const { given, family } = person(random)
    const [title, short] = random.pick(TITLES)
    const lead = random.pick(['', '', `${title} `, `${short} `])
    const text = random.chance(0.4) && lead === '' ? `${family}, ${given}` : `${lead}${given} ${family}`
    return { input: random.pick([text, text.toLowerCase(), text.toUpperCase()]), output: `${given} ${family}` }
  }),
  fixed('titles', ['Abbreviate the title', 'short title'], (random) => {
    const [title, short] = random.pick(TITLES)
    const name = random.pick(FAMILY_NAMES)
    return { input: `${title} ${name}`, output: `${short} ${name}` }
  }),
  fixed('full titles', ['Write the title in full', 'expand the title'], (random) => {
    const [title, short] = random.pick(TITLES)
    const name = random.pick(FAMILY_NAMES)
    return {
      input: `${random.pick([short, short.replace('.', ''), short.toLowerCase()])} ${name}`,
      output: `${title} ${name}`,
    }
  }),
  fixed('e-mail to name', ['Name from the e-mail address', 'Whose address is it?'], (random) => {
    const { given, family } = person(random)
    return {
      input: `${given}${random.pick(['.', '_', '-'])}${family}@${random.pick(DOMAINS)}`.toLowerCase(),
      output: `${given} ${family}`,
    }
  }),
  mapped(
    'parts of an e-mail',
    (random) =>
      [random.pick(GIVEN_NAMES).toLowerCase() + digits(random, random.below(3)), random.pick(DOMAINS)] as const,
    ([user, domain]) => `${user}@${domain}`,
    [
      { instructions: ['User part of the address', 'before the @'], output: ([user]) => user },
      { instructions: ['Domain of the address', 'after the @'], output: ([, domain]) => domain },
    ],
  ),
  mapped('street addresses', street, ({ number, name, kind }) => `${number} ${name} ${kind[1]}`, [
    {
      instructions: ['Write the street in full', 'expand the street'],
      output: ({ number, name, kind }) => `${number} ${name} ${kind[0]}`,
    },
    { instructions: ['Only the street', 'without the number'], output: ({ name, kind }) => `${name} ${kind[1]}` },
    { instructions: ['House number'], output: ({ number }) => String(number) },
  ]),
  fixed('short streets', ['Abbreviate the street', 'short address'], (random) => {
    const { number, name, kind } = street(random)
    return { input: `${number} ${name} ${kind[0]}`, output: `${number} ${name} ${kind[1]}` }
  }),
  fixed('spoken addresses', ['Write the address', 'normalise the address', 'spoken address to text'], (random) => {
    const { number, name, kind } = street(random)
    const city = random.pick(CITIES)
    const spoken = random.chance(0.6)
      ? cardinal(number, { and: random.chance(0.3), hyphen: random.chance(0.3) })
      : String(number)
    return {
      input: `${spoken} ${name} ${random.pick(kind)}${random.pick([' in ', ', ', ' '])}${city}`.toLowerCase(),
      output: `${number} ${name} ${kind[1]}, ${city}`,
    }
  }),
  mapped(
    'addresses',
    (random) => ({ ...street(random), city: random.pick(CITIES), code: digits(random, 5) }),
    ({ number, name, kind, city, code }) => `${number} ${name} ${kind[1]}, ${city} ${code}`,
    [
      { instructions: ['City', 'Which city?', 'city of the address'], output: ({ city }) => city },
      { instructions: ['Postal code', 'zip code'], output: ({ code }) => code },
      {
        instructions: ['City first', 'city, street'],
        output: ({ number, name, kind, city }) => `${city}, ${number} ${name} ${kind[1]}`,
      },
    ],
  ),
  mapped(
    'countries',
    (random) => random.pick(COUNTRIES),
    ([country]) => country,
    [
      { instructions: ['Country code', 'two letter code'], output: ([, , code]) => code },
      { instructions: ['Adjective of the country', 'nationality'], output: ([, adjective]) => adjective },
    ],
  ),
  mapped(
    'country codes',
    (random) => random.pick(COUNTRIES),
    ([, , code]) => code,
    [{ instructions: ['Which country is it?', 'country of the code'], output: ([country]) => country }],
  ),
  fixed('nationalities', ['Which country?', 'country of the people'], (random) => {
    const [country, adjective] = random.pick(COUNTRIES)
    return { input: `${random.pick(['a', 'the'])} ${adjective} ${random.pick(JOBS)}`, output: country }
  }),
  fixed(
    'phone formats',
    ['Format the phone number', 'phone as 000-000-0000', 'normalise the phone number'],
    (random) => {
      const [a, b, c] = [digits(random, 3), digits(random, 3), digits(random, 4)]
      return {
        input: random.pick([
          `(${a}) ${b}-${c}`,
          `${a}.${b}.${c}`,
          `${a} ${b} ${c}`,
          `${a}${b}${c}`,
          `+1 ${a} ${b} ${c}`,
          `${a}/${b}${c}`,
        ]),
        output: `${a}-${b}-${c}`,
      }
    },
  ),
  fixed('introductions', ['Who is speaking?', 'name of the speaker', 'Who is it?'], (random) => {
    const p = person(random)
    const name = random.pick([full(p), p.given])
    return {
      input: random.pick([
        `hi, I am ${name} from ${random.pick(CITIES)}`,
        `my name is ${name} and I work as a ${random.pick(JOBS)}`,
        `this is ${name}, the ${random.pick(JOBS)}`,
        `${capitalised('hello')}, ${name} here`,
      ]),
      output: name,
    }
  }),
]
