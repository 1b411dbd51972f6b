import type { Random } from '../../../core/model/random.ts'
import { between, drawnTask, happens, oneOf, type DrawnTask } from '../drawn-task.ts'

const THINGS = ['kettle', 'tablet', 'lamp', 'router', 'bicycle', 'printer', 'jacket', 'camera', 'drill', 'suitcase']
const TOWNS = ['Graz', 'Leeds', 'Porto', 'Oslo', 'Lyon', 'Turin', 'Ghent', 'Riga', 'Cork', 'Basel']
const OPENINGS = ['', 'Hello, ', 'Good morning. ', 'Hi team, ', 'Dear support, ']
const ENDINGS = ['', ' Thanks.', ' Please help.', ' Many thanks in advance.', ' Regards, Kim']

type Phrases = Readonly<Record<string, readonly string[]>>

const DESKS: Phrases = {
  delivery: [
    'the {thing} has not reached {town} yet',
    'where is the parcel with my {thing}',
    'the courier left the {thing} in {town}',
    'please send the {thing} to {town} instead',
    'the {thing} was delivered to a neighbour',
  ],
  payment: [
    'you took the money for the {thing} twice',
    'I need an invoice for the {thing}',
    'my card was refused for the {thing}',
    'the refund for the {thing} is missing',
    'the price of the {thing} on the bill is wrong',
  ],
  defect: [
    'the {thing} does not switch on',
    'the {thing} arrived with a crack',
    'a screw of the {thing} is missing',
    'my {thing} makes a loud noise',
    'the {thing} overheats after an hour',
  ],
  account: [
    'I cannot sign in to order the {thing}',
    'please delete my profile in {town}',
    'my password does not work any more',
    'change the address of my profile to {town}',
    'I have two profiles with the {thing}',
  ],
}
const TONES: Phrases = {
  praise: [
    'the {thing} is a delight',
    'I am glad that I bought the {thing}',
    'wonderful {thing}, well made',
    'the shop in {town} was very kind',
  ],
  complaint: [
    'the {thing} is a disappointment',
    'I regret that I bought the {thing}',
    'poor {thing}, badly made',
    'the shop in {town} was very rude',
  ],
  question: [
    'does the {thing} fit into a car',
    'which {thing} is lighter',
    'can I see the {thing} in {town}',
    'is there a {thing} in green',
  ],
}
const ALERTS: Phrases = {
  network: [
    'connection to {town} timed out',
    'packets lost between {town} and core',
    'link {n} is down',
    'DNS lookup of {town} failed',
  ],
  disk: ['volume {n} is {n} percent full', 'read error on disk {n}', 'no space left on volume {n}', 'disk {n} is slow'],
  memory: [
    'process {n} was killed: out of memory',
    'swap use is {n} percent',
    'heap of worker {n} is exhausted',
    'memory of host {town} is low',
  ],
}
const LANGUAGES: Phrases = {
  en: [
    'The {thing} is on the table',
    'We will visit {town} in spring',
    'Where can I repair my {thing}',
    'She lives near {town} with her sister',
  ],
  de: [
    'Der {thing} steht auf dem Tisch',
    'Wir fahren im Frühling nach {town}',
    'Wo kann ich meinen {thing} reparieren',
    'Sie wohnt mit ihrer Schwester bei {town}',
  ],
  fr: [
    'Le {thing} est sur la table',
    'Nous irons à {town} au printemps',
    'Où puis-je réparer mon {thing}',
    'Elle habite près de {town} avec sa sœur',
  ],
}

function labelled(name: string, phrases: Phrases, decorate = true): DrawnTask {
  const labels = Object.keys(phrases)
  return {
    name,
    subject: 'classification',
    draw(random) {
      const output = oneOf(random, labels)
      const text = fill(random, oneOf(random, phrases[output] ?? []))
      return { input: decorate ? `${oneOf(random, OPENINGS)}${text}.${oneOf(random, ENDINGS)}` : text, output }
    },
  }
}

function fill(random: Random, phrase: string): string {
  return phrase
    .replaceAll('{thing}', oneOf(random, THINGS))
    .replaceAll('{town}', oneOf(random, TOWNS))
    .replaceAll(/\{n\}/g, () => String(between(random, 1, 99)))
}

/** A label that one in ten rows has wrong: no recipe can be right on these. */
function noisy(task: DrawnTask, name: string, labels: readonly string[]): DrawnTask {
  return {
    ...task,
    name,
    draw(random) {
      const row = task.draw(random)
      return happens(random, 10) ? { ...row, output: oneOf(random, labels) } : row
    },
  }
}

const desks = labelled('support desks', DESKS)

/** Texts and records with a label. */
export const CLASSIFICATION: readonly DrawnTask[] = [
  desks,
  noisy(desks, 'support desks with wrong labels', Object.keys(DESKS)),
  labelled('tone of a review', TONES),
  labelled('cause of an alert', ALERTS, false),
  labelled('language of a sentence', LANGUAGES, false),
  drawnTask(
    'classification',
    'priority of a ticket',
    (random) => ({
      hours_open: between(random, 0, 96),
      customers: between(random, 1, 400),
      plan: oneOf(random, ['free', 'team']),
    }),
    ({ hours_open: hours, customers, plan }) =>
      customers > 100 || (plan === 'team' && hours > 24) ? 'high' : 'normal',
  ),
  drawnTask(
    'classification',
    'shape of a code',
    (random) =>
      oneOf(random, [
        `AB-${between(random, 1000, 9999)}`,
        `${between(random, 10_000, 99_999)}`,
        `${oneOf(random, ['x', 'y', 'z'])}${between(random, 10, 99)}@${oneOf(random, ['north', 'south'])}`,
      ]),
    (code) => (code.includes('@') ? 'account' : code.includes('-') ? 'article' : 'postcode'),
  ),
  drawnTask(
    'classification',
    'risk of a loan',
    (random) => ({
      income: between(random, 10, 150) * 1000,
      debt: between(random, 0, 100) * 1000,
      late_payments: between(random, 0, 5),
    }),
    ({ income, debt, late_payments: late }) => (late >= 3 || debt > income ? 'high' : late >= 1 ? 'medium' : 'low'),
  ),
]
