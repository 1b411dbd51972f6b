/** Composites drawn for the bench: messages with a label, a number, a date and a code, 200 rows each. */
import { createRandom, type Random } from '../../core/model/random.ts'
import type { Row } from '../../core/compile/rows/task.ts'

/** A drawn task, and the kind that each leaf of its outputs should take. */
export interface CompositeTask {
  readonly name: string
  readonly rows: readonly Row[]
  readonly kinds: Readonly<Record<string, 'program' | 'label'>>
}

interface Domain {
  readonly name: string
  readonly members: readonly [label: string, number: string, date: string, code: string]
  /** Words that speak for each label; several labels share some. */
  readonly labels: Readonly<Record<string, string>>
  readonly filler: string
}

const DOMAINS: readonly Domain[] = [
  {
    name: 'support',
    members: ['queue', 'amount', 'due', 'ticket'],
    labels: {
      billing: 'charged invoice refund twice payment card statement overpaid bill fee',
      access: 'password locked login reset code account signin blocked token email',
      delivery: 'parcel courier late address box driver tracking missing doorstep package',
      fault: 'broken error crash screen noise restart button frozen cable smoke',
    },
    filler: 'hello please kindly again still since yesterday morning team thanks today really quite',
  },
  {
    name: 'clinic',
    members: ['department', 'dose', 'visit', 'patient'],
    labels: {
      cardiology: 'heart chest pulse pressure rhythm palpitations artery valve beat breath',
      dermatology: 'skin rash itch mole acne spots eczema cream patch burning',
      orthopedics: 'knee shoulder fracture joint hip ankle bone sprain back walking',
    },
    filler: 'patient reports since weeks referred please review worse mild often night sometimes again',
  },
  {
    name: 'repairs',
    members: ['trade', 'quote', 'visit', 'job'],
    labels: {
      plumbing: 'leak tap pipe drain toilet boiler sink water valve flood',
      electrical: 'socket fuse light wiring switch power lamp spark breaker cable',
      roofing: 'tile gutter roof chimney slate attic rain ridge insulation beam',
      painting: 'paint wall ceiling colour brush peel varnish fence stain plaster',
      glazing: 'window pane glass crack frame sash draught seal mirror skylight',
    },
    filler: 'tenant says please come soon flat second floor key neighbour urgent again quickly',
  },
  {
    name: 'travel',
    members: ['reason', 'price', 'departure', 'booking'],
    labels: {
      cancel: 'cancel refund plans ill withdraw stop void money back abandon',
      change: 'change move later earlier reschedule shift swap another flight switch',
      baggage: 'suitcase luggage bag lost weight belt claim carousel trunk damaged',
    },
    filler: 'dear agent my wife and children flight hotel please tell asap thank you holiday',
  },
  {
    name: 'bank',
    members: ['topic', 'sum', 'booked', 'reference'],
    labels: {
      transfer: 'transfer sent recipient account iban wire arrived pending sender standing',
      card: 'card chip pin stolen contactless terminal declined swallowed atm plastic',
      loan: 'loan mortgage rate instalment interest credit repay debt term borrow',
      fees: 'fee charge statement monthly overdraft cost commission price unexpected deducted',
    },
    filler: 'good day regarding my question please customer since app branch clerk said however',
  },
  {
    name: 'logistics',
    members: ['event', 'weight', 'arrival', 'container'],
    labels: {
      delayed: 'late congestion storm waiting queue missed hold postponed slow strike',
      damaged: 'dented wet torn crushed leaking broken bent scratched mould opened',
      cleared: 'released customs cleared approved stamped passed gate handed inspected paid',
    },
    filler: 'vessel port shift crew terminal note driver dock north yard load forwarder',
  },
  {
    name: 'school',
    members: ['matter', 'fee', 'date', 'pupil'],
    labels: {
      absence: 'ill fever absent doctor sick home cough dentist missing sleep',
      trip: 'museum bus trip excursion lunch zoo guide coach camp hike',
      grades: 'test grade mark exam result homework maths failed retake report',
      conduct: 'fight shouting phone rude bullying detention noise disrupted swearing hit',
    },
    filler: 'dear parents teacher class our child please sign note office kind regards week',
  },
  {
    name: 'shop',
    members: ['intent', 'total', 'ordered', 'order'],
    labels: {
      return: 'return unwanted label send back exchange wrong regret parcel refund',
      stock: 'available stock restock sold size colour when notify preorder shelf',
      praise: 'love great wonderful perfect happy excellent quick recommend fantastic beautiful',
    },
    filler: 'hi there shop bought jacket shoes last website gift sister mother also very',
  },
  {
    name: 'press',
    members: ['section', 'length', 'published', 'article'],
    labels: {
      sport: 'match goal coach league striker referee cup injury stadium final',
      economy: 'inflation market shares bank budget trade export wages tax growth',
      culture: 'film novel museum opera exhibition painter concert actor festival poem',
      science: 'telescope vaccine fossil quantum climate cells orbit enzyme species laser',
    },
    filler: 'reporter writes according sources city people year week new says during report',
  },
  {
    name: 'energy',
    members: ['request', 'reading', 'read_on', 'meter'],
    labels: {
      moving: 'moving landlord tenant keys flat leaving deregister handover relocate lease',
      outage: 'outage dark power cut street fuse storm transformer none blackout',
      tariff: 'tariff cheaper switch contract green price offer renew plan compare',
    },
    filler: 'hello provider household gas customer please meter cellar since neighbour reply wish',
  },
]

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0')
}

type Day = readonly [year: number, month: number, day: number]

/** A date in four styles. */
const DATES: readonly ((day: Day) => string)[] = [
  ([y, m, d]) => `${pad(d)}.${pad(m)}.${y}`,
  ([y, m, d]) => `${MONTHS[m - 1] ?? ''} ${d}, ${y}`,
  ([y, m, d]) => `${pad(m)}/${pad(d)}/${y}`,
  ([y, m, d]) => `${d} ${(MONTHS[m - 1] ?? '').slice(0, 3)} ${y}`,
]

/** A number as text, with its value. */
const NUMBERS: readonly ((random: Random) => readonly [text: string, value: number])[] = [
  (random) => {
    const cents = 100 + random.below(500_000)
    const whole = String(Math.floor(cents / 100)).replaceAll(/\B(?=(\d{3})+$)/g, ',')
    return [`$${whole}.${pad(cents % 100)}`, cents / 100]
  },
  (random) => {
    const value = 1 + random.below(999)
    return [`${value} kg`, value]
  },
  (random) => {
    const tenths = 10 + random.below(9000)
    return [`${(tenths / 10).toFixed(1)} units`, tenths / 10]
  },
  (random) => {
    const value = 5 + random.below(4000)
    return [`EUR ${value}`, value]
  },
]

/** A code as text, with its expected output. */
const CODES: readonly ((random: Random) => readonly [text: string, wanted: string])[] = [
  (random) => same(`TK-${pad(random.below(100_000), 5)}`),
  (random) => {
    const digits = pad(random.below(1_000_000), 6)
    return [`#${digits}`, digits]
  },
  (random) => {
    const letters = Array.from({ length: 3 }, () => String.fromCodePoint(97 + random.below(26))).join('')
    const digits = pad(random.below(10_000), 4)
    return [`ref:${letters}/${digits}`, `${letters.toUpperCase()}-${digits}`]
  },
  (random) =>
    same(`${String.fromCodePoint(65 + random.below(26))}${pad(random.below(1000), 3)}-${pad(random.below(100))}`),
]

function same(text: string): readonly [string, string] {
  return [text, text]
}

function pick<T>(random: Random, list: readonly T[]): T {
  const item = list[random.below(list.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

/** Words of a label among others: one to three of the label's own, and sometimes one of another label's. */
function drawWords(random: Random, { labels, filler }: Domain, label: string): string {
  const own = (labels[label] ?? '').split(' ')
  const fillers = filler.split(' ')
  const words = [
    ...Array.from({ length: 1 + random.below(3) }, () => pick(random, own)),
    ...Array.from({ length: 4 + random.below(6) }, () => pick(random, fillers)),
    ...(random.float() < 0.35 ? [pick(random, pick(random, Object.values(labels)).split(' '))] : []),
  ]
  for (let at = words.length - 1; at > 0; at--) {
    const other = random.below(at + 1)
    ;[words[at], words[other]] = [words[other] ?? '', words[at] ?? '']
  }
  return words.join(' ')
}

/** Draws 40 tasks: each of ten domains in four ways of writing; the rows of a task are always the same. */
export function drawTasks(count = 200): readonly CompositeTask[] {
  return DOMAINS.flatMap((domain, place) =>
    Array.from({ length: 4 }, (_, style) => drawTask(domain, (place + style) % 4, style, count)),
  )
}

function drawTask(domain: Domain, order: number, style: number, count: number): CompositeTask {
  const name = `${domain.name}-${style + 1}`
  const random = createRandom(13, name)
  const [label, number, date, code] = domain.members
  const labels = Object.keys(domain.labels)
  const rows = Array.from({ length: count }, (_, row): Row => {
    const wanted = pick(random, labels)
    const day: Day = [2020 + random.below(7), 1 + random.below(12), 1 + random.below(28)]
    const [numberText, value] = (NUMBERS[style] ?? NUMBERS[0])?.(random) ?? ['', 0]
    const [codeText, codeWanted] = (CODES[order] ?? CODES[0])?.(random) ?? ['', '']
    const dateText = (DATES[(style + order) % 4] ?? DATES[0])?.(day) ?? ''
    const words = drawWords(random, domain, wanted)
    const parts = [`${code}: ${codeText}`, words, `${number} is ${numberText}`, `on ${dateText}`]
    const turned = [...parts.slice(order), ...parts.slice(0, order)]
    return {
      id: `row_${row + 1}`,
      input: turned.join(style % 2 === 0 ? '. ' : '\n'),
      output: {
        [label]: wanted,
        [number]: value,
        [date]: `${day[0]}-${pad(day[1])}-${pad(day[2])}`,
        [code]: codeWanted,
      },
    }
  })
  return { name, rows, kinds: { [label]: 'label', [number]: 'program', [date]: 'program', [code]: 'program' } }
}
