import type { Random } from '../../core/model/random.ts'
import { drawnTask, oneOf, type DrawnTask } from './drawn-task.ts'
import { CITIES, ITEMS } from './words.ts'

type Phrases = Readonly<Record<string, readonly string[]>>

const DESKS: Phrases = {
  billing: [
    'The invoice for my {item} is wrong',
    'I was charged twice for the {item}',
    'Where is the receipt for the {item}',
    'My card was charged for a {item} I did not buy',
    'Please refund the {item}',
    'The price of the {item} on the bill is too high',
    'Can I pay the {item} in parts',
  ],
  shipping: [
    'When does my {item} arrive in {city}',
    'The parcel with the {item} is late',
    'My {item} went to the wrong address in {city}',
    'Track the delivery of my {item}',
    'The courier lost my {item}',
    'Can you ship the {item} to {city}',
    'The box with the {item} was open',
  ],
  repair: [
    'My {item} stopped working',
    'The {item} arrived broken',
    'A part of the {item} is missing',
    'The {item} makes a strange noise',
    'Can you fix my {item}',
    'The {item} does not turn on',
    'There is a crack in the {item}',
  ],
}
const MOODS: Phrases = {
  positive: [
    'I love the {item}',
    'Great {item}, works well',
    'The {item} is excellent',
    'Very happy with this {item}',
    'Best {item} I ever had',
    'Fantastic service in {city}',
    'The {item} is perfect for us',
  ],
  negative: [
    'I hate the {item}',
    'Terrible {item}, broke at once',
    'The {item} is awful',
    'Very unhappy with this {item}',
    'Worst {item} I ever had',
    'Horrible service in {city}',
    'The {item} is useless for us',
  ],
}
const TONGUES: Phrases = {
  en: [
    'Where is the {item} from {city}',
    'I would like to order a {item}',
    'Thank you for the {item}',
    'The {item} is on the table',
    'When do you open in {city}',
    'We have not received the {item}',
  ],
  de: [
    'Wo ist der {item} aus {city}',
    'Ich möchte einen {item} bestellen',
    'Danke für den {item}',
    'Der {item} ist auf dem Tisch',
    'Wann öffnen Sie in {city}',
    'Wir haben den {item} nicht bekommen',
  ],
  fr: [
    'Où est le {item} de {city}',
    'Je voudrais commander un {item}',
    'Merci pour le {item}',
    'Le {item} est sur la table',
    'Quand ouvrez-vous à {city}',
    'Nous ne avons pas reçu le {item}',
  ],
}
const URGENCY: Phrases = {
  urgent: [
    'Urgent: {item} down in {city}',
    'We need the {item} today, urgent',
    'Emergency with the {item} in {city}',
    'ASAP please, the {item} failed',
    'Critical fault of the {item}',
    'Immediately replace the {item}',
  ],
  normal: [
    'Question about the {item}',
    'Please send a catalogue to {city}',
    'We think of a new {item}',
    'How long is the {item}',
    'Some time next month we need a {item}',
    'Thanks for the {item} in {city}',
  ],
}
const TOPICS: Phrases = {
  sport: [
    '{city} won the match by two goals',
    'The coach of {city} named the team',
    'A late goal saved {city}',
    'The striker from {city} is injured',
    'The league starts in {city}',
  ],
  weather: [
    'Rain is expected in {city}',
    'A storm reached {city} at night',
    'Sunny days ahead for {city}',
    'Snow closed the roads to {city}',
    'Temperatures in {city} fall',
  ],
  money: [
    'Banks in {city} raise their rates',
    'Shares fell in {city}',
    'The budget of {city} was passed',
    'Prices in {city} rise again',
    'Investors look to {city}',
  ],
  arts: [
    'A new museum opens in {city}',
    'The orchestra plays in {city}',
    'A painter from {city} wins the prize',
    'The theatre of {city} shows a classic',
    'A film was shot in {city}',
  ],
}

/** A text of a random label; how often each label comes is not even. */
function textOf(phrases: Phrases) {
  const labels = Object.keys(phrases)
  return (random: Random): { readonly text: string; readonly label: string } => {
    const label = oneOf(random, [...labels, labels[0] ?? ''])
    const phrase = oneOf(random, phrases[label] ?? [])
    return { label, text: phrase.replace('{item}', oneOf(random, ITEMS)).replace('{city}', oneOf(random, CITIES)) }
  }
}

function labelTask(name: string, phrases: Phrases): DrawnTask {
  const draw = textOf(phrases)
  return {
    name,
    subject: 'labels',
    draw: (random) => {
      const { text, label } = draw(random)
      return { input: text, output: label }
    },
  }
}

/** Texts sorted into labels. */
export const labelTasks: readonly DrawnTask[] = [
  labelTask('desk of a message', DESKS),
  labelTask('mood of a review', MOODS),
  labelTask('language of a message', TONGUES),
  labelTask('urgency of a message', URGENCY),
  labelTask('topic of a headline', TOPICS),
  drawnTask(
    'labels',
    'mentions a city',
    (r) =>
      `${oneOf(r, ['Send', 'Bring', 'Move'])} the ${oneOf(r, ITEMS)} ${oneOf(r, ['to', 'by', 'near'])} ${oneOf(r, [...CITIES, 'us', 'him', 'her', 'them', 'home'])}`,
    (t) => CITIES.some((city) => t.endsWith(city)),
  ),
]
