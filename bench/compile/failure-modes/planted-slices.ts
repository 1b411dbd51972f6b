import type { JudgedRow, RowContent } from '../../../core/compile/artifacts/diagnosis/judged-row.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import type { Random } from '../../../core/model/random.ts'

/** The parts that a row was made from. Slices are planted on these, not on what the search reads out of the texts. */
interface Latent {
  readonly language: string
  readonly topic: string
  readonly sentences: number
  readonly amount: number
  readonly unit: string
  readonly hasPhone: boolean
  readonly country: string
  readonly isShouted: boolean
  readonly isQuestion: boolean
}

/** Rows with failures planted in a slice; without one the failures are at random. */
export interface Planted {
  readonly name: string
  readonly rows: readonly JudgedRow[]
  readonly members: ReadonlySet<string>
}

type Test = (latent: Latent) => boolean

const LANGUAGES = {
  English: [
    'please tell me where the parcel is',
    'i would like to know when it will be here',
    'the order is not with us yet',
    'can you send this to the office',
  ],
  German: [
    'bitte sagen sie mir wo das paket ist',
    'ich möchte wissen wann die ware kommt',
    'die bestellung ist noch nicht bei uns',
    'können sie das an das büro senden',
  ],
  French: [
    'dites moi où est le colis',
    'je voudrais savoir quand la commande arrive',
    'la livraison n est pas encore chez nous',
    'pouvez vous envoyer cela au bureau',
  ],
  Russian: [
    'скажите где моя посылка',
    'я хочу знать когда придёт заказ',
    'доставка ещё не пришла к нам',
    'можете отправить это в офис',
  ],
} as const
const TOPICS = {
  billing: 'invoice',
  shipping: 'parcel',
  login: 'password',
  returns: 'refund',
  sales: 'discount',
} as const
const UNITS = ['kg', 'lb', 'ml', 'km', 'oz'] as const
const COUNTRIES = ['DE', 'FR', 'US', 'JP', 'BR', 'IN'] as const
const NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Katherine', 'Tim'] as const

function pick<T>(random: Random, list: readonly T[]): T {
  const one = list[random.below(list.length)]
  if (one === undefined) throw new Error('an empty list')
  return one
}

function draw(random: Random): Latent {
  return {
    language: pick(random, ['English', 'English', 'English', 'German', 'French', 'Russian']),
    topic: pick(random, Object.keys(TOPICS)),
    sentences: 1 + random.below(12),
    amount: Number(Math.exp(random.float() * 7).toFixed(2)),
    unit: pick(random, UNITS),
    hasPhone: random.float() < 0.75,
    country: pick(random, COUNTRIES),
    isShouted: random.float() < 0.15,
    isQuestion: random.float() < 0.3,
  }
}

type World = (latent: Latent, random: Random) => RowContent

function textOf({ language, topic, sentences, isShouted, isQuestion }: Latent, random: Random): string {
  const pool = LANGUAGES[language as keyof typeof LANGUAGES]
  const parts = Array.from({ length: sentences }, () => pick(random, pool))
  const text = `${pick(random, NAMES)}: ${TOPICS[topic as keyof typeof TOPICS]} ${parts.join('. ')}${isQuestion ? '?' : '.'}`
  return isShouted ? text.toUpperCase() : text
}

/** The three tasks: tickets to labels, orders to objects, measures to texts. */
const WORLDS: Readonly<Record<string, World>> = {
  tickets: (latent, random) => ({ input: textOf(latent, random), expected: latent.topic }),
  orders: (latent, random) => {
    const phone = latent.hasPhone ? { phone: `+${random.below(90) + 10} ${random.below(900_000) + 100_000}` } : {}
    const note = textOf(latent, random)
    return {
      input: { customer: pick(random, NAMES), country: latent.country, amount: latent.amount, ...phone, note },
      expected: { topic: latent.topic, total: Number((latent.amount * 1.19).toFixed(2)), country: latent.country },
    }
  },
  measures: (latent, random) => ({
    input: `${pick(random, NAMES)} ships ${latent.amount} ${latent.unit} to ${latent.country}, ref ${random.below(9000) + 1000}`,
    expected: `${latent.amount} ${latent.unit}`,
  }),
}

/** The slices of each task, alone; pairs are made of two that lie across. */
function testsOf(world: string, random: Random): readonly (readonly [string, Test])[] {
  const topic = pick(random, Object.keys(TOPICS))
  const country = pick(random, COUNTRIES)
  const unit = pick(random, UNITS)
  const language = pick(random, ['German', 'French', 'Russian'])
  const low = Math.exp(random.float() * 5)
  const texts: readonly (readonly [string, Test])[] = [
    [language, (one) => one.language === language],
    [`about ${topic}`, (one) => one.topic === topic],
    ['long', ({ sentences }) => sentences >= 10],
    ['short', ({ sentences }) => sentences <= 2],
    ['shouted', ({ isShouted }) => isShouted],
    ['question', ({ isQuestion }) => isQuestion],
  ]
  const amount = [
    `amount ${low.toFixed(0)} to ${(low * 4).toFixed(0)}`,
    ({ amount: value }: Latent) => value >= low && value <= low * 4,
  ] as const
  if (world === 'tickets') return texts
  if (world === 'measures')
    return [[`unit ${unit}`, (one) => one.unit === unit], amount, [country, (one) => one.country === country]]
  return [['no phone', ({ hasPhone }) => !hasPhone], amount, [country, (one) => one.country === country], ...texts]
}

/** Returns rows of a task in which a slice fails; at random without one. */
export function plantSlice(world: string, random: Random, rows: number, isPlanted: boolean): Planted {
  const make = WORLDS[world]
  if (make === undefined) throw new Error(`no task ${world}`)
  const latents = Array.from({ length: rows }, () => draw(random))
  const contents = latents.map((latent) => make(latent, random))
  const { name, test } = isPlanted ? chooseSlice(world, random, latents) : { name: 'random', test: () => false }
  const [inside, outside] = isPlanted
    ? [0.55 + random.float() * 0.4, 0.02 + random.float() * 0.05]
    : [0, 0.03 + random.float() * 0.2]
  const judged = contents.map((content, i): JudgedRow => {
    const latent = latents[i]
    const fails = random.float() < (latent !== undefined && test(latent) ? inside : outside)
    const got = fails ? wrongAnswer(content.expected, contents, random) : content.expected
    const right = JSON.stringify(got) === JSON.stringify(content.expected)
    return {
      id: `row_${i}`,
      right,
      result: right ? 'right' : 'wrong',
      failedChecks: [],
      unlike: null,
      category: 'general',
      content: { ...content, got },
    }
  })
  return {
    name,
    rows: judged,
    members: new Set(judged.filter((_, i) => latents[i] !== undefined && test(latents[i])).map(({ id }) => id)),
  }
}

/** One condition, or two; at least 5 % of the rows and at most 35 %. */
function chooseSlice(
  world: string,
  random: Random,
  latents: readonly Latent[],
): { readonly name: string; readonly test: Test } {
  for (;;) {
    const tests = testsOf(world, random)
    const [one, other] = [pick(random, tests), pick(random, tests)]
    const isPair = random.float() < 0.4 && one !== other
    const test: Test = (latent) => one[1](latent) && (!isPair || other[1](latent))
    const share = latents.filter(test).length / latents.length
    if (share >= 0.05 && share <= 0.35) return { name: isPair ? `${one[0]} and ${other[0]}` : one[0], test }
  }
}

/** The expected output of another row. */
function wrongAnswer(expected: Json, contents: readonly RowContent[], random: Random): Json {
  for (let tries = 0; tries < 50; tries++) {
    const other = pick(random, contents).expected
    if (JSON.stringify(other) !== JSON.stringify(expected)) return other
  }
  return null
}
